import type { Grant, GrantSigner } from '@pinfold/core';
import { HmacGrantSigner } from '@pinfold/platform-node';
import { type GrantSignerSubject, grantSignerContract } from '@pinfold/test-contracts';
import { derived, type PortShape } from './derive.ts';
import type { Fields } from './distortions.ts';
import { type MutantTable, mutating } from './mutant.ts';

const PRESENT = 'the present secret of this service';
const NEW = 'the secret that will take its place';
const FOREIGN = 'the secret of another service there';

const openSound = async (): Promise<GrantSignerSubject> => ({
  port: new HmacGrantSigner({ secrets: [PRESENT] }),
  peer: async () => new HmacGrantSigner({ secrets: [PRESENT] }),
  successor: async () => new HmacGrantSigner({ secrets: [NEW, PRESENT] }),
  ofAnotherKey: async () => new HmacGrantSigner({ secrets: [FOREIGN] }),
  dispose: async () => {},
});

const mutant = mutating<GrantSigner, GrantSignerSubject>(openSound);

const GRANT: Fields<Grant> = {
  purpose: 'choice',
  role: 'uuid',
  generation: 'count',
  accountGeneration: 'count',
  issuedAt: 'instant',
  madeAt: 'instant',
  viewer: { id: 'text', gavePassword: 'flag' },
};

const shape: PortShape<GrantSigner> = {
  isSynchronous: true,
  methods: {
    sign: {
      takes: { grant: GRANT },
      answers: 'text',
      clauses: 'verify rotation hidden token',
      untested: [
        'answers.{composed,latin,numeric,quoted,trimmed} takes.grant.issuedAt.seconds',
        'takes.grant.viewer.id',
      ],
      tested: [
        'takes.grant.accountGeneration.capped takes.grant.generation.capped',
        'takes.grant.viewer.id.{cut,latin,lost,raised,stuck}',
      ],
    },
    verify: {
      takes: { token: 'text' },
      answers: GRANT,
      clauses: 'verify forged',
      untested: ['answers.issuedAt.seconds answers.viewer.id takes.token.{composed,latin,numeric,quoted}'],
      tested: [
        'answers.accountGeneration.capped answers.generation.capped',
        'answers.viewer.id.{cut,latin,lost,raised,stuck} takes.token.terminated',
      ],
    },
  },
};

export const grantSignerTable: MutantTable<GrantSigner, GrantSignerSubject> = {
  contract: grantSignerContract,
  sound: () => openSound,
  mutants: derived(shape, mutant),
};

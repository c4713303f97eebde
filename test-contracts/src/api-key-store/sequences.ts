import type { AccountId, ApiKey, ApiKeyId, ApiKeyStore, Authority, Instant, Sha256 } from '@pinfold/core';
import { KNOWN_SCOPES } from '@pinfold/core/internal';
import { createMemory } from '@pinfold/memory';
import fc from 'fast-check';
import { everyKeyOf } from '../fixtures/keys.ts';
import {
  alone,
  checkSequences,
  type ModelOptions,
  methodsFor,
  questionsFor,
  type Reachable,
  type Sequences,
  stepsFor,
} from '../sequences/run.ts';
import { changedTexts, nearInstants, nearTexts, someEvents, someOf } from '../sequences/values.ts';

interface Values {
  readonly ids: readonly ApiKeyId[];
  readonly accounts: readonly AccountId[];
  readonly labels: readonly string[];
  readonly hashes: readonly Sha256[];
  readonly instants: readonly Instant[];
}

/** Each list has ids that are nearly one, or that stand in another order elsewhere. */
const IDS = [
  ['AbC', 'aBc', 'ABC', 'abc', 'ab', 'abcd', 'abc ', ' abc', 'a%c', 'a_c', '%', '_'],
  ['1', '01', '10', '9', '1e1', '1000', '1e3', '0x1', 'Z9', 'a10', 'a9', 'B'],
  ['null', 'undefined', 'constructor', '__proto__', 'true', 'id', '0', '-1', "a'c", 'a\\c', '{}', '""'],
  ['1', '2', 'A', 'a', 'aa', ' '].flatMap((end) => [end.padStart(32, 'a'), end.padStart(31, 'a')]),
] as ApiKeyId[][];
const HASHES = ['1', '0e1', '0e2', 'a', 'b'].flatMap((text) => [
  text.padEnd(64, '0'),
  text.padStart(64, '0'),
]) as Sha256[];

const step = stepsFor<ApiKeyStore, Values>();
const call = methodsFor<ApiKeyStore, Values>();
const question = questionsFor<ApiKeyStore, Values>();
const oneOf = fc.constantFrom;

const key = ({ ids, accounts, labels, hashes, instants }: Values): fc.Arbitrary<ApiKey> =>
  fc.record({
    id: oneOf(...ids),
    account: oneOf(...accounts),
    scopes: fc.shuffledSubarray([...KNOWN_SCOPES]),
    label: oneOf(...labels),
    secretHash: oneOf(...hashes),
    createdAt: oneOf(...instants),
    lastUsedAt: oneOf(null, ...instants),
    revokedAt: oneOf(null, ...instants),
    isEnsured: fc.boolean(),
  });

const id = ({ ids }: Values) => oneOf(...ids);
const instant = ({ instants }: Values) => oneOf(...instants);
const eventsOf = ({ instants, accounts }: Values) => someEvents(instants, accounts);

const SEQUENCES: Sequences<ApiKeyStore, Values> = {
  reference: async () => {
    const memory = createMemory();
    return { port: memory.apiKeys, history: memory.history, dispose: () => memory.close() };
  },
  values: fc.record({
    ids: fc.oneof(
      fc.constantFrom(...IDS).chain((ids) => someOf(ids)),
      nearTexts as fc.Arbitrary<ApiKeyId[]>,
    ),
    accounts: nearTexts as fc.Arbitrary<AccountId[]>,
    labels: changedTexts,
    hashes: someOf(HASHES, 3),
    instants: nearInstants,
  }),
  steps: [
    call(5, 'create', (values) => [
      key(values),
      eventsOf(values),
      oneOf<(Authority | undefined)[]>(undefined, 'account', 'operator'),
      oneOf<(number | null | undefined)[]>(undefined, null, 0, 1, 2),
    ]),
    call(1, 'createFirst', (values) => [key(values), eventsOf(values)]),
    call(3, 'revoke', (values) => [id(values), instant(values), eventsOf(values)]),
    call(5, 'touch', (values) => [id(values), instant(values), instant(values)]),
    alone(
      step(
        1,
        'purge',
        (values) => [instant(values), oneOf(1, 2, 100)],
        async (port, revokedBefore, limit) => {
          // Which of several go first is not promised, but how many.
          const gone = await port.purge(revokedBefore, limit);
          return gone + (await port.purge(revokedBefore, 100));
        },
      ),
    ),
    question(2, 'find', (values) => [id(values)]),
  ],
  read: step(
    1,
    'find and list',
    ({ ids, accounts }) => [
      fc.constant([...ids, '' as ApiKeyId]),
      fc.constant([undefined, '' as AccountId, ...accounts]),
    ],
    async (port, ids, accounts) => ({
      found: await Promise.all(ids.map(async (known) => [known, await port.find(known)])),
      listed: await Promise.all(
        accounts.map(async (account) => [account, await port.list(everyKeyOf(account))]),
      ),
      live: await Promise.all(accounts.map((account) => port.countLive(account ?? ('' as AccountId)))),
    }),
  ),
  holds: (memory) => memory.list(everyKeyOf()),
  fault: 'store_unavailable',
};

/** Does with an {@link ApiKeyStore} what `checkRoleStoreSequences` does with a store of roles. */
export function checkApiKeyStoreSequences(
  create: () => Promise<Reachable<ApiKeyStore>>,
  options: ModelOptions = {},
): Promise<void> {
  return checkSequences(SEQUENCES, create, options);
}

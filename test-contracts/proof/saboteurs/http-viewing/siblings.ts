import type { HttpSubject } from '@pinfold/test-contracts';
import type { Saboteur } from '../sabotage.ts';
import { changingHeads, ignoring } from './tampers.ts';
import { saboteursIn } from './visiting.ts';

const saboteur = saboteursIn('origin');

/** What siblings may do that they must not. */
export const siblingSaboteurs: readonly Saboteur<HttpSubject>[] = [
  saboteur('view-siblings-learn-nothing', 'the way to a hand-over may be loaded from anywhere', {
    tamper: () =>
      changingHeads(({ status, headers }) => {
        if (status === 303) headers.delete('cross-origin-resource-policy');
      }),
  }),
  saboteur('view-too-many-cookies', 'the jar is passed over in silence', {
    tamper: () => ignoring(['cookie'], ({ headers }) => (headers.cookie ?? '').length > 12_288),
  }),
  saboteur('view-misdirected', 'another host below the sites is the public one', {
    tamper: () => (request) => {
      if (/^nothing\./i.test(request.headers.host ?? '')) request.headers.host = 'elsewhere';
    },
  }),
];

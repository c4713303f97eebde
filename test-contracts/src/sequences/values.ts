import type { AccountId, Doer, EventId, HistoryEvent, Instant } from '@pinfold/core';
import fc from 'fast-check';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';

/** Texts that stores like to change, each the beginning of others that are nearly the same. */
const TEXTS = [
  'Acm\u00e9',
  'stra\u00dfe',
  'I\u0130\u0131',
  '1',
  '1e3',
  '0',
  'null',
  '{"a":1}',
  "a'b",
  'a_c',
  '\u{1f9ed}',
  '$$%41',
  '__proto__',
];

const LONG = 'a'.repeat(240);

/** Texts that a comparison by case, accents, width, numbers, patterns, trimming or beginnings takes for one. */
function nearlyOne(text: string): readonly string[] {
  return [
    ...[text, text.toUpperCase(), text.toLowerCase(), text.normalize('NFD'), text.normalize('NFKD')],
    text.normalize('NFD').replaceAll(/\p{M}/gu, ''),
    text.replace(/.$/u, (last) => String.fromCodePoint((last.codePointAt(0) ?? 0) + 1)),
    ...[
      `${text} `,
      ` ${text}`,
      `${text}\u00a0`,
      `0${text}`,
      `${text}.0`,
      `${text}x`,
      text.slice(0, -1) || '-',
    ],
    ...[`${text}%`, `${text}_`, `${text}*`, `${text}\\`, `"${text}"`, '%', '_', '*'],
    ...[`${LONG}${text}`, `${LONG}${text}x`, `${text}${LONG}`],
    text.replaceAll(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
  ].filter((near) => near.isWellFormed());
}

/** A few of some values, in any order. */
export function someOf<Value>(all: readonly Value[], most = 8, least = 2): fc.Arbitrary<Value[]> {
  return fc.shuffledSubarray([...new Set(all)], { minLength: least, maxLength: most });
}

/** A text that somebody may change on its way. */
export const changedText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n',
    'a  b',
    ' a\t',
    '\r\n',
    '<b>&amp;',
    `${'x'.repeat(500)} `,
    `${LONG}${LONG}${LONG}a`,
  ),
  fc.constantFrom(...TEXTS.flatMap(nearlyOne)),
);

/** A few texts that somebody may change on their way. */
export const changedTexts: fc.Arbitrary<string[]> = fc.array(changedText, { minLength: 2, maxLength: 5 });

/** A few texts that are nearly one. */
export const nearTexts: fc.Arbitrary<string[]> = fc
  .constantFrom(...TEXTS)
  .chain((text) => someOf(nearlyOne(text)));

/** Instants next to each other and far apart, among them those that are no 32 bits of seconds or milliseconds. */
export const nearInstants: fc.Arbitrary<Instant[]> = fc
  .constantFrom(START, 1, 2_147_483_648_000, 4_294_967_296, 4_294_967_296_000, 253_402_300_799_998)
  .map((middle) => [middle, middle - 1, middle + 1, 0, START + 60_000, START + 500] as Instant[]);

/** Anybody who does something. */
export const doer: fc.Arbitrary<Doer> = fc.record({
  kind: fc.constantFrom<Doer['kind'][]>('key', 'person', 'operator', 'system'),
  id: fc.option(changedText),
});

/** An event, like no other: what it tells of is the caller's to say. */
export function anyEvent(
  instants: readonly Instant[],
  accounts: readonly AccountId[],
): fc.Arbitrary<HistoryEvent> {
  return fc.record({
    id: fc.noBias(fc.noShrink(fc.uuid())) as fc.Arbitrary<string> as fc.Arbitrary<EventId>,
    at: fc.constantFrom(...instants),
    type: fc.constantFrom('session.started', 'session.ended', 'link.created', 'key.created', 'key.revoked'),
    account: fc.constantFrom(null, ...accounts),
    pin: fc.constantFrom(null, aRoleId(1)),
    actor: doer,
    request: fc.option(changedText),
    address: fc.option(changedText),
    asOperator: fc.boolean(),
  });
}

/** None, one or several events, as a host with or without a history gives them. */
export function someEvents(
  instants: readonly Instant[],
  accounts: readonly AccountId[],
): fc.Arbitrary<HistoryEvent[]> {
  return fc.array(anyEvent(instants, accounts), { maxLength: 3 });
}

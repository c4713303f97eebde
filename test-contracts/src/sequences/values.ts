import {
  type AccountId,
  type EventActor,
  type EventId,
  type HistoryEvent,
  type Instant,
  instant,
  type PinName,
} from '@pinfold/core';
import fc from 'fast-check';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { SIGNS } from './edits.ts';

/** Texts that stores like to change, each the beginning of others that are nearly the same. */
const TEXTS = [
  ...'Acm\u00e9 stra\u00dfe I\u0130\u0131 1 1e3 0 null undefined a_c \u{1f9ed} __proto__ constructor'.split(
    ' ',
  ),
  ...'{"a":1} $$%41 a:b/c|d \\u0041\\n\\ &amp;%2F+ $1?:a@b 2026-01-02 -1.50 \uac01\u212b\ufb01'.split(' '),
  ...["a'b", "''--;", '$' + '{a}{{a}}'],
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

/** Letters of one kind that some rule takes for one. */
const FOLDED = [
  'K\u212ak s\u017fS \u03c3\u03c2\u03a3 i\u0131I\u0130 \u00c5\u212b\u00e5 \u2126\u03a9\u03c9 \u00b5\u03bc l\u0142',
  "1\u00b9\u2460\u0661\uff11 -\u2010\u2013\u2212 '\u2019\u02bb` e\u00e9\u0435 o\u00f8\u00f6\u043e",
  '\u30a2\uff71\u3042 \u8c48\uf900 \u01c4\u01c5\u01c6 \u{1f600}\u{1f601}\u{1fa00}\u{2f600} \u{10400}\u{10428}',
].flatMap((letters) => [...letters.replaceAll(' ', '')]);

const SPELLED = '\u00dfss \u1e9e \ufb01 fi \u00e6 ae \u01c6 d\u017e \uac00 \u1100\u1161'.split(' ');

/** Every text that a store may change, or take for another one of them; none longer than 255 characters. */
export const everyText: readonly string[] = [
  ...new Set([
    ...TEXTS.flatMap(nearlyOne),
    ...SIGNS.flatMap((sign) => [`a${sign}b`, `a${sign}${sign}b`, `ab${sign}`, `${sign}ab`]),
    ...FOLDED.map((letter) => `x${letter}x`),
    ...SPELLED,
    ...Array.from({ length: 64 }, (_, n) => `${'a'.repeat(4 * n)}-${'a'.repeat(252 - 4 * n)}`),
  ]),
];

/** A few of some values, in any order. */
export function someOf<Value>(all: readonly Value[], most = 8, least = 2): fc.Arbitrary<Value[]> {
  return fc.shuffledSubarray([...new Set(all)], { minLength: least, maxLength: most });
}

/** A text that a layer between caller and table may change. */
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
  fc.constantFrom(...everyText),
);

/** A few texts that a layer between caller and table may change. */
export const changedTexts: fc.Arbitrary<string[]> = fc.array(changedText, { minLength: 2, maxLength: 5 });

/** A few texts that are nearly one. */
export const nearTexts: fc.Arbitrary<string[]> = fc
  .constantFrom(...TEXTS)
  .chain((text) => someOf(nearlyOne(text)));

/** The last instant of the year 9999. */
export const LATEST: Instant = instant(253_402_300_799_999);

/** Instants next to each other and far apart, among them those that are no 32 bits of seconds or milliseconds. */
export const nearInstants: fc.Arbitrary<Instant[]> = fc
  .constantFrom(
    START,
    1,
    2_147_483_648_000,
    4_294_967_296,
    4_294_967_296_000,
    1_000_000_000_000,
    10_000_000_000_000,
    LATEST - 1,
  )
  .chain((middle) =>
    fc.tuple(
      fc.constant([middle, middle - 1, middle + 1, 0, START + 60_000, START + 500]),
      someOf([-86_400_000, -1_000, 999, 1_000, 86_400_000], 2, 0),
    ),
  )
  .map(([near, far]) => [...near, ...far.map((by) => (near[0] ?? 0) + by)])
  .map((all) => all.filter((at) => at >= 0 && at <= LATEST) as Instant[]);

/** Anybody who does something. */
export const doer: fc.Arbitrary<EventActor> = fc.record({
  kind: fc.constantFrom<EventActor['kind'][]>('key', 'person', 'operator', 'system'),
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
    name: fc.constantFrom(null, 'pr-42' as PinName),
    actor: doer,
    request: fc.option(changedText),
    address: fc.option(changedText),
    asOperator: fc.boolean(),
    recordedAt: fc.constantFrom(...instants),
  });
}

/** None, one or several events, as a host with or without a history gives them. */
export function someEvents(
  instants: readonly Instant[],
  accounts: readonly AccountId[],
): fc.Arbitrary<HistoryEvent[]> {
  return fc.array(anyEvent(instants, accounts), { maxLength: 3 });
}

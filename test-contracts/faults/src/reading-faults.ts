import { Comparison, type Database, type Lookup } from '@pinfold/core/records';
import {
  answering,
  asking,
  changing,
  type DatabaseFault,
  inCalls,
  inEachOf,
  inRows,
  inSteps,
  isJoined,
  type Row,
} from './faulty-database.ts';

/** Changes the values of one type, in every column. */
function values<Value>(type: string, change: (value: Value) => unknown) {
  return () =>
    inRows((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === type ? change(value as Value) : value,
        ]),
      ),
    );
}

/** Compares texts by the result of `fold`. */
function folding(fold: (text: string) => string) {
  return () =>
    answering('find', function* (action, ask) {
      const texts = Object.entries(action.where).filter(([, match]) => typeof match === 'string');
      const others = Object.entries(action.where).filter(([, match]) => typeof match !== 'string');
      const rows = yield* ask({ ...action, where: Object.fromEntries(others) });
      return (rows as readonly Row[]).filter((row) =>
        texts.every(([name, text]) => fold(String(row[name])) === fold(String(text))),
      );
    });
}

/** Changes the condition on each column, even in alternatives. */
function matching(change: (match: unknown) => unknown) {
  const changed = (where: Row): Row =>
    Object.fromEntries(
      Object.entries(where).map(([name, match]) => [
        name,
        name === 'either' ? (match as readonly Row[]).map(changed) : change(match),
      ]),
    );
  return () => asking('find', ({ where }) => ({ where: changed(where as Row) }));
}

function operators(from: string, to: (comparison: Comparison<unknown>) => unknown) {
  const change = (match: unknown): unknown => {
    if (Array.isArray(match)) return match.map(change);
    return match instanceof Comparison && match.operator === from ? to(match) : match;
  };
  return matching(change);
}

/** Searches texts by another rule. */
function containing(isFound: (text: string, part: string) => boolean) {
  return () =>
    answering('find', function* (action, ask) {
      const { title, ...where } = action.where as Row;
      const rows = (yield* ask({ ...action, where })) as readonly Row[];
      return title instanceof Comparison
        ? rows.filter((row) => isFound(String(row.title), String(title.operand)))
        : rows;
    });
}

function like(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(escaped.replaceAll('%', '.*').replaceAll('_', '.'), 's');
}

function withLookup(change: (database: Database, lookup: Lookup<never>, key: string) => unknown) {
  return () => (database: Database) => ({
    peek: (lookup: Lookup<never>, key: string) => change(database, lookup, key) as never,
  });
}

export const READING_FAULTS: readonly DatabaseFault[] = [
  ...inEachOf('get', {
    'texts lose the spaces around them': values<string>('string', (text) => text.trim()),
    'texts are brought into a normal form': values<string>('string', (text) => text.normalize()),
  }),
  inSteps('get-absent', 'a row that is not there is null', () => changing('get', (answer) => answer ?? null)),
  ...inEachOf('get-with', {
    'a row whose references are not there is left out': () =>
      changing('get', (answer: { references?: Row } | undefined, action) =>
        isJoined(action) && answer?.references?.shelf === undefined ? undefined : answer,
      ),
  }),
  ...inEachOf('get-part', {
    'a reference that is not there is of no value': () =>
      changing('get', (answer: { references?: Row } | undefined) =>
        answer?.references && answer.references.shelf === undefined ? { ...answer, references: {} } : answer,
      ),
  }),
  inCalls(
    'peek',
    'keys are looked up in small letters',
    withLookup((database, lookup, key) => database.peek(lookup, key.toLowerCase())),
  ),
  ...inEachOf('texts', {
    'letter case does not count': folding((text) => text.toLowerCase()),
    'normal forms do not count': folding((text) => text.normalize()),
  }),
];

export const CONDITION_FAULTS: readonly DatabaseFault[] = [
  ...inEachOf('comparisons', {
    'null is a value': operators('not_null', () => undefined),
    'null is less than all numbers': () =>
      asking('find', ({ where }) =>
        where.lentAt instanceof Comparison && where.lentAt.operator.startsWith('lt')
          ? { where: { either: [where, { lentAt: null }] } }
          : {},
      ),
  }),
  ...inEachOf('either', {
    'conditions beside alternatives are left out': () =>
      asking('find', ({ where: { either, ...where } }) => ({ where: either ? { either } : where })),
  }),
  ...inEachOf('columns', {
    'the other column is not compared': matching((match) =>
      match instanceof Comparison ? undefined : match,
    ),
  }),
  ...inEachOf('in', {
    'a list has at most 999 texts': operators(
      'in',
      ({ operand }) => new Comparison('in', (operand as readonly string[]).slice(0, 999)),
    ),
  }),
  ...inEachOf('contains', {
    'some characters are wildcards': containing((text, part) => like(part).test(text)),
  }),
];

import { Comparison, type Database, type Lookup } from '@pinfold/core/records';
import {
  answering,
  asking,
  changing,
  type DatabaseFault,
  inCalls,
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

const MARKS = /\p{M}/gu;

/** Takes texts for equal of which `fold` makes the same. */
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

/** Changes the condition on each column, in alternatives too. */
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

/** Finds texts with others in them by a rule of its own. */
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

function lookingUp(change: (database: Database, lookup: Lookup<never>, key: string) => unknown) {
  return () => (database: Database) => ({
    peek: (lookup: Lookup<never>, key: string) => change(database, lookup, key) as never,
  });
}

export const READING_FAULTS: readonly DatabaseFault[] = [
  inSteps(
    'get',
    'texts lose the spaces around them',
    values<string>('string', (text) => text.trim()),
  ),
  inSteps(
    'get',
    'long texts are cut',
    values<string>('string', (text) => text.slice(0, 65_535)),
  ),
  inSteps(
    'get',
    'texts are brought into a normal form',
    values<string>('string', (text) => text.normalize()),
  ),
  inSteps(
    'get',
    'numbers are rounded',
    values<number>('number', (number) => Number(number.toPrecision(15))),
  ),
  inSteps('get', 'flags are numbers', values<boolean>('boolean', Number)),
  inSteps('get', 'null is 0', () => inRows((row) => ({ ...row, lentAt: row.lentAt ?? 0 }))),
  inSteps('get', 'an empty text is null', () => inRows((row) => ({ ...row, code: row.code || null }))),
  inSteps('get', 'null is left out of JSON', () =>
    inRows((row) => ({ ...row, tags: (row.tags as readonly unknown[]).filter((tag) => tag !== null) })),
  ),
  inSteps(
    'get',
    'the text null is null',
    values<string>('string', (text) => (text === 'null' ? null : text)),
  ),
  inSteps('get-absent', 'a row that is not there is null', () => changing('get', (answer) => answer ?? null)),
  inCalls(
    'get-absent',
    'a lookup that finds nothing results in null',
    lookingUp(async (database, lookup, key) => (await database.peek<unknown>(lookup, key)) ?? null),
  ),
  inSteps('get-with', 'a row whose references are not there is left out', () =>
    changing('get', (answer: { references?: Row } | undefined, action) =>
      isJoined(action) && answer?.references?.shelf === undefined ? undefined : answer,
    ),
  ),
  inSteps('get-with', 'a reference that is not there is null', () =>
    changing('get', (answer: { references: Row } | undefined, action) =>
      isJoined(action) && answer
        ? { ...answer, references: { shelf: answer.references.shelf ?? null } }
        : answer,
    ),
  ),
  inSteps('get-part', 'a row has all columns', () => asking('get', () => ({ select: undefined }))),
  inSteps('get-part', 'a reference that is not there is of no value', () =>
    changing('get', (answer: { references?: Row } | undefined) =>
      answer?.references && answer.references.shelf === undefined ? { ...answer, references: {} } : answer,
    ),
  ),
  inCalls(
    'peek',
    'only primary keys are looked up',
    lookingUp((database, lookup, key) =>
      lookup.by === lookup.table.key[0] ? database.peek(lookup, key) : undefined,
    ),
  ),
  inCalls(
    'peek',
    'references are not read along',
    lookingUp((database, lookup, key) => database.peek({ ...lookup, references: {} }, key)),
  ),
  inCalls(
    'peek',
    'keys are looked up in small letters',
    lookingUp((database, lookup, key) => database.peek(lookup, key.toLowerCase())),
  ),
  inSteps(
    'texts',
    'only the first 100 characters count',
    folding((text) => text.slice(0, 200)),
  ),
  inSteps(
    'texts',
    'letter case does not count',
    folding((text) => text.toLowerCase()),
  ),
  inSteps(
    'texts',
    'spaces at the end do not count',
    folding((text) => text.trimEnd()),
  ),
  inSteps(
    'texts',
    'normal forms do not count',
    folding((text) => text.normalize()),
  ),
  inSteps(
    'texts',
    'marks do not count',
    folding((text) => text.normalize('NFD').replaceAll(MARKS, '')),
  ),
];

export const CONDITION_FAULTS: readonly DatabaseFault[] = [
  inSteps(
    'comparisons',
    'less than includes equal',
    operators('lt', ({ operand }) => new Comparison('lte', operand)),
  ),
  inSteps(
    'comparisons',
    'at most leaves out equal',
    operators('lte', ({ operand }) => new Comparison('lt', operand)),
  ),
  inSteps(
    'comparisons',
    'greater than includes equal',
    operators('gt', ({ operand }) => new Comparison('gte', operand)),
  ),
  inSteps(
    'comparisons',
    'at least leaves out equal',
    operators('gte', ({ operand }) => new Comparison('gt', operand)),
  ),
  inSteps(
    'comparisons',
    'null is a value',
    operators('not_null', () => undefined),
  ),
  inSteps('comparisons', 'null equals nothing', () =>
    changing('find', (rows: readonly Row[], { where }) => (Object.values(where).includes(null) ? [] : rows)),
  ),
  inSteps(
    'comparisons',
    'the first of several comparisons counts',
    matching((match) => (Array.isArray(match) ? match[0] : match)),
  ),
  inSteps(
    'comparisons',
    'an undefined condition means null',
    matching((match) => (match === undefined ? null : match)),
  ),
  inSteps('comparisons', 'null is less than all numbers', () =>
    asking('find', ({ where }) =>
      where.lentAt instanceof Comparison && where.lentAt.operator.startsWith('lt')
        ? { where: { either: [where, { lentAt: null }] } }
        : {},
    ),
  ),
  inSteps('either', 'the first alternative counts', () =>
    asking('find', ({ where }) => ({ where: { ...where, either: where.either?.slice(0, 1) ?? [{}] } })),
  ),
  inSteps('either', 'conditions beside alternatives are left out', () =>
    asking('find', ({ where: { either, ...where } }) => ({ where: either ? { either } : where })),
  ),
  inSteps(
    'columns',
    'the other column is not compared',
    matching((match) => (match instanceof Comparison ? undefined : match)),
  ),
  inSteps(
    'columns',
    'equal columns are less',
    operators('lt', ({ operand }) => new Comparison('gte', operand)),
  ),
  inSteps(
    'in',
    'an empty list finds all',
    operators('in', (match) => ((match.operand as readonly string[]).length > 0 ? match : undefined)),
  ),
  inSteps(
    'in',
    'the first of a list counts',
    operators('in', ({ operand }) => new Comparison('in', (operand as readonly string[]).slice(0, 1))),
  ),
  inSteps(
    'in',
    'a list has at most 999 texts',
    operators('in', ({ operand }) => new Comparison('in', (operand as readonly string[]).slice(0, 999))),
  ),
  inSteps(
    'contains',
    'some characters are wildcards',
    containing((text, part) => like(part).test(text)),
  ),
  inSteps(
    'contains',
    'letter case does not count',
    containing((text, part) => text.toLowerCase().includes(part.toLowerCase())),
  ),
  inSteps(
    'contains',
    'an empty text is in none',
    containing((text, part) => part !== '' && text.includes(part)),
  ),
];

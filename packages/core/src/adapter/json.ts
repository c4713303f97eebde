import { Fault } from '../fault.ts';
import type { Column } from './table.ts';

/**
 * Reads a value that is stored as JSON.
 *
 * @throws Fault `store_corrupt` when the text is no JSON.
 *
 * @example
 * import { parseJson } from '@pinfold/core/adapter';
 *
 * console.log(parseJson('{"upTo":null}')); // { upTo: null }
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('store_corrupt', 'a value in the database cannot be read', { cause });
  }
}

/**
 * Reads a list that is stored as JSON.
 *
 * @throws Fault `store_corrupt` when the text is no list, or absent.
 *
 * @example
 * import { parseJsonList } from '@pinfold/core/adapter';
 *
 * console.log(parseJsonList('["pins:read"]')); // [ 'pins:read' ]
 */
export function parseJsonList(text: string | null): readonly unknown[] {
  const value = parseJson(text ?? '');
  if (Array.isArray(value)) return value;
  throw new Fault('store_corrupt', 'a list in the database cannot be read');
}

/**
 * A column that stores a plain value as JSON.
 *
 * @example
 * import { jsonOf, tableOf } from '@pinfold/core/adapter';
 *
 * const events = tableOf<{ readonly by: { readonly id: string } }>({ by: jsonOf('actor') });
 * console.log(events.values({ by: { id: 'k1' } })); // [ '{"id":"k1"}' ]
 */
export function jsonOf<Value>(name: string): Column<Value> {
  return {
    name,
    write: (value) => JSON.stringify(value),
    read: (stored) => parseJson(stored as string) as Value,
  };
}

/**
 * A column that stores a list as JSON.
 *
 * @example
 * import { jsonList, tableOf } from '@pinfold/core/adapter';
 *
 * const words = tableOf<{ readonly all: readonly string[] }>({ all: jsonList('all_words') });
 * console.log(words.values({ all: ['one', 'two'] })); // [ '["one","two"]' ]
 */
export function jsonList<Item>(name: string): Column<readonly Item[]> {
  return {
    name,
    write: (list) => JSON.stringify(list),
    read: (stored) => parseJsonList(stored as string) as readonly Item[],
  };
}

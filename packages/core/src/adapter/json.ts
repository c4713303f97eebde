import { Fault } from '../fault.ts';

/**
 * Reads a value that is stored as JSON.
 *
 * @throws Fault `store_corrupt` when the text is no JSON.
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
 */
export function parseJsonList(text: string | null): readonly unknown[] {
  const value = parseJson(text ?? '');
  if (Array.isArray(value)) return value;
  throw new Fault('store_corrupt', 'a list in the database cannot be read');
}

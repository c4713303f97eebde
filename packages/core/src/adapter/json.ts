import { Fault } from '../fault.ts';

/**
 * Reads a value that is stored as JSON.
 *
 * @throws Fault `store_corrupt` when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('store_corrupt', 'a value in the database cannot be read', { cause });
  }
}

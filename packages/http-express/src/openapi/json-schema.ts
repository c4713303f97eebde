/** A part of the document: JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a UUID matches. */
export const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const INSTANT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';

/** A schema of the components by its name. */
export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object all of whose members are always there. */
export function object(properties: JsonObject): JsonObject {
  return { type: 'object', required: Object.keys(properties), properties };
}

/** How many there are. */
export function count(description: string): JsonObject {
  return { type: 'integer', minimum: 0, description };
}

/** An instant as the wire has it. */
export function instant(): JsonObject {
  return { type: 'string', pattern: INSTANT, description: 'RFC 3339, UTC, milliseconds.' };
}

/** Where the next page begins. */
export function nextCursor(asked: string): JsonObject {
  return {
    type: ['string', 'null'],
    description: `Ask for the next page with ${asked}; null on the last page.`,
  };
}

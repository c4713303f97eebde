import type { Request } from 'express';

/** A field of a form that was sent; `undefined` when it is missing or there twice. */
export function fieldOf(request: Request, name: string): string | undefined {
  const value = (request.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of a field that may be there several times. */
export function fieldsOf(request: Request, name: string): readonly string[] {
  const value = (request.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return [value].flat().filter((one) => typeof one === 'string');
}

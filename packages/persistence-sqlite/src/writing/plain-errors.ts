import { Fault, type FaultCode, isFault } from '@pinfold/core';
import { codeOf, isError } from '@pinfold/core/internal';
import { StepError, type StepPlace } from '@pinfold/core/records';

/** An error for structured clone, which would reduce an error of another class than JavaScript's to its message. */
export type PlainError =
  | (PlainFacts & { readonly kind: 'fault'; readonly code: FaultCode })
  | (PlainFacts & { readonly kind: 'step'; readonly place: StepPlace })
  | (PlainFacts & { readonly kind: 'coded'; readonly name: string; readonly code: string })
  | { readonly kind: 'plain'; readonly thrown: unknown };

interface PlainFacts {
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: PlainError;
}

/** Converts an error to send it to another thread. */
export function toPlain(thrown: unknown): PlainError {
  if (!isError(thrown)) return { kind: 'plain', thrown };
  const facts = { message: thrown.message, stack: thrown.stack };
  if (isFault(thrown)) return { ...facts, kind: 'fault', code: thrown.code, cause: toPlain(thrown.cause) };
  if (thrown instanceof StepError) {
    const { program, step, table, columns, cause } = thrown;
    return { ...facts, kind: 'step', place: { program, step, table, columns }, cause: toPlain(cause) };
  }
  const code = codeOf(thrown);
  if (code === undefined) return { kind: 'plain', thrown };
  return { ...facts, kind: 'coded', name: thrown.name, code, cause: toPlain(thrown.cause) };
}

/** Recreates the error that {@link toPlain} has converted. */
export function fromPlain(plain: PlainError): unknown {
  if (plain.kind === 'plain') return plain.thrown;
  const { message, stack } = plain;
  const cause = fromPlain(plain.cause);
  if (plain.kind === 'fault') return Object.assign(new Fault(plain.code, message, { cause }), { stack });
  if (plain.kind === 'step') return Object.assign(new StepError(plain.place, cause), { stack });
  return Object.assign(new Error(message, { cause }), { name: plain.name, code: plain.code, stack });
}

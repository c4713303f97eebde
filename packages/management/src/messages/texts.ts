import type { Language } from '@pinfold/http/internal/language';
import {
  FAILURE_TEXTS,
  type FailureTextId,
  FINDING_TEXTS,
  type FindingTextId,
  INPUT_TEXTS,
  type InputTextId,
  REFUSAL_TEXTS,
  type RefusalTextId,
  textsIn,
} from '@pinfold/http/internal/texts';

/** A code's message has the code as its id. */
export type CodeId = FailureTextId | FindingTextId | InputTextId;

/** Texts of broken rules and of warnings, the same as at every other door. */
export function codesIn(language: Language): Readonly<Record<CodeId, string>> {
  return textsIn(language, { ...FAILURE_TEXTS, ...FINDING_TEXTS, ...INPUT_TEXTS });
}

/** Texts of refusals. */
export function refusalsIn(language: Language): Readonly<Record<RefusalTextId, string>> {
  return textsIn(language, REFUSAL_TEXTS);
}

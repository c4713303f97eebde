import { ARCHIVE_TEXTS, type ArchiveTextId } from './archive-texts.ts';
import type { Text } from './text.ts';
import { WARNING_TEXTS, type WarningTextId } from './warning-texts.ts';

export { archiveFinding, type PublishProblem } from './archive-texts.ts';
export { FAILURE_TEXTS, type FailureTextId } from './failure-texts.ts';
export { INPUT_TEXTS, type InputTextId } from './input-texts.ts';
export { REFUSAL_TEXTS, type RefusalTextId } from './refusal-texts.ts';
export { englishOf, type Finding, lineOf, readFinding, type Text, textsIn } from './text.ts';
export { WARNING_RULES, warningFinding } from './warning-texts.ts';

export type FindingTextId = ArchiveTextId | WarningTextId;

/** Texts of broken rules for archives and of warnings, for every door. A door without its own layout uses `lineOf`. */
export const FINDING_TEXTS: Readonly<Record<FindingTextId, Text>> = { ...ARCHIVE_TEXTS, ...WARNING_TEXTS };

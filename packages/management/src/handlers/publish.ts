import type { Inadmissible, PublishOutcome, Refusal } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import type { Screen } from '../options.ts';
import type { ScreenProblem } from '../problem-groups.ts';
import { refusedWords } from '../quota-text.ts';
import { askToSignIn } from '../request/middleware.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, seeOther } from '../response/answer.ts';
import { duringMaintenance } from '../response/refuse.ts';
import { oddText } from '../upload-form.ts';
import { problemList } from '../views/problems.ts';
import { showList, tooLarge } from './list.ts';
import { PASSWORD_MESSAGES } from './publications.ts';
import type { ArchiveContext } from './receive.ts';

/** Why nothing was published, as both doors of the screen tell it. */
interface Refused {
  readonly status: number;
  /** What our script does about it. */
  readonly kind: 'problems' | 'refused' | 'mismatch' | 'in_progress';
  readonly message: string;
  readonly problems?: readonly ScreenProblem[];
}

/** Publishes the ZIP of a browser without scripts. */
export async function publishForm(screen: Screen, visit: ArchiveContext): Promise<Answer> {
  const outcome = await publish(screen, visit);
  if (outcome.kind !== 'refused') {
    const { publication, warnings } = outcome;
    return seeOther(`${visit.base}/publications/${publication.id}`, {
      tone: 'good',
      message: warnings.length === 0 ? 'didPublish' : 'didPublishWithRemarks',
      values: { name: publication.title ?? publication.originalFilename },
      remarks: warnings,
    });
  }
  if (outcome.code === 'unauthorized') return askToSignIn(screen, visit);
  const { status, message: summary, problems: broken } = refused(visit, outcome);
  const problems = broken && problemList(visit.words, broken);
  const answer = await showList(screen, visit, { status, publish: { summary, problems } });
  return logged(answer, { outcome: outcome.code });
}

/** Publishes a ZIP that our script sent. */
export async function publishUpload(screen: Screen, visit: ArchiveContext): Promise<Answer> {
  const outcome = await publish(screen, visit);
  if (outcome.kind !== 'refused') {
    const { publication, warnings: remarks } = outcome;
    const { id, expiresAt } = publication;
    const body = { kind: outcome.kind, id, sharedUrl: sharedUrl(screen.publicUrl, id), expiresAt, remarks };
    return { kind: 'json', status: outcome.kind === 'published' ? 201 : 200, body };
  }
  if (outcome.code === 'unauthorized') return askToSignIn(screen, visit);
  const { status, ...body } = refused(visit, outcome);
  const answer = { kind: 'json', status, body, log: { outcome: outcome.code } } as const;
  if (outcome.code === 'read_only') return duringMaintenance(answer);
  return outcome.code === 'idempotency_in_progress' ? { ...answer, retryAfter: 1 } : answer;
}

function publish(
  { useCases }: Screen,
  { account, cause, credential, wish, archive }: ArchiveContext,
): Promise<PublishOutcome> {
  return useCases.publish({ by: account, ...wish, archive, cause, credential });
}

function refused(
  visit: SignedInContext,
  refusal: Exclude<Extract<PublishOutcome, Refusal>, { code: 'unauthorized' }>,
): Refused {
  const { words } = visit;
  switch (refusal.code) {
    case 'invalid_archive':
      return brokenArchive(visit, 422, refusal.problems);
    case 'archive_too_large':
      return brokenArchive(visit, 413, [tooLarge(refusal.limit)]);
    case 'refused_by_host':
      return { status: 422, kind: 'refused', message: refusal.words[words.language] ?? refusal.words.en };
    case 'account_blocked':
    case 'quota_exceeded':
    case 'rate_limited':
    case 'read_only':
      return { status: statusOf(refusal), kind: 'refused', message: refusedWords(visit, refusal) };
    case 'idempotency_mismatch':
      return { status: 409, kind: 'mismatch', message: words.say('formUsed') };
    case 'idempotency_in_progress':
      return { status: 409, kind: 'in_progress', message: words.say('stillPublishing') };
    case 'invalid_filename':
    case 'invalid_idempotency_key':
    case 'invalid_name':
    case 'invalid_title':
      return { status: 422, kind: 'refused', message: words.say(oddText(refusal)) };
    case 'invalid_password': {
      const message = words.say(PASSWORD_MESSAGES[refusal.rule], { ...refusal });
      return { status: 422, kind: 'refused', message };
    }
    default:
      return refusal satisfies never;
  }
}

function brokenArchive(
  { words }: SignedInContext,
  status: number,
  problems: readonly ScreenProblem[],
): Refused {
  return { status, kind: 'problems', message: words.say('problemsTitle'), problems };
}

function statusOf({ code }: Inadmissible): number {
  if (code === 'read_only') return 503;
  return code === 'rate_limited' ? 429 : 403;
}

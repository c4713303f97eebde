import type { Inadmissible, PublishOutcome, Refusal } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import type { Screen } from '../options.ts';
import { refusedWords } from '../quota-text.ts';
import { askToSignIn } from '../request/middleware.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, seeOther } from '../response/answer.ts';
import { READ_ONLY_SECONDS, refuse } from '../response/refuse.ts';
import { oddText } from '../upload-form.ts';
import { formTrouble, showList, showProblems, tooLarge } from './list.ts';
import type { ArchiveVisit } from './receive.ts';

/** Publishes what the form of a browser without scripts brought. */
export async function publishForm(screen: Screen, visit: ArchiveVisit): Promise<Answer> {
  return await answerForm(screen, visit, await publish(screen, visit));
}

/** Publishes a ZIP that our script sent. */
export async function publishUpload(screen: Screen, visit: ArchiveVisit): Promise<Answer> {
  return answerScript(screen, visit, await publish(screen, visit));
}

async function publish(
  { useCases }: Screen,
  { account, cause, credential, wish, archive, who }: ArchiveVisit,
): Promise<PublishOutcome> {
  const outcome = await useCases.publish({ by: account, ...wish, archive, cause, credential });
  if (outcome.kind === 'refused') who.outcome = outcome.code;
  return outcome;
}

function answerScript(screen: Screen, visit: SignedInContext, outcome: PublishOutcome): Answer {
  if (outcome.kind !== 'refused') {
    const { publication, warnings } = outcome;
    const { id, expiresAt } = publication;
    const body = {
      kind: outcome.kind,
      id,
      sharedUrl: sharedUrl(screen.publicUrl, id),
      expiresAt,
      remarks: warnings,
    };
    return { kind: 'json', status: outcome.kind === 'published' ? 201 : 200, body };
  }
  switch (outcome.code) {
    case 'invalid_archive':
      return { kind: 'json', status: 422, body: { kind: 'problems', problems: outcome.problems } };
    case 'refused_by_host':
      return { kind: 'json', status: 422, body: { kind: 'refused', message: hostWords(visit, outcome) } };
    case 'account_blocked':
    case 'quota_exceeded':
    case 'rate_limited':
    case 'read_only':
      return {
        kind: 'json',
        status: statusOf(outcome),
        body: { kind: 'refused', message: refusedWords(visit, outcome) },
        ...(outcome.code === 'read_only' ? { retryAfter: READ_ONLY_SECONDS } : {}),
      };
    case 'idempotency_mismatch':
      return { kind: 'json', status: 409, body: { kind: 'mismatch' } };
    case 'idempotency_in_progress':
      return { kind: 'json', status: 409, body: { kind: 'in_progress' }, retryAfter: 1 };
    case 'archive_too_large':
      return { kind: 'json', status: 413, body: { kind: 'problems', problems: [tooLarge(outcome.limit)] } };
    case 'invalid_filename':
    case 'invalid_idempotency_key':
    case 'invalid_name':
    case 'invalid_password':
    case 'invalid_title':
      return refuse(visit, 400, 'badFormTitle', oddText(outcome));
    case 'unauthorized':
      return askToSignIn(screen, visit);
    default:
      return outcome satisfies never;
  }
}

async function answerForm(screen: Screen, visit: SignedInContext, outcome: PublishOutcome): Promise<Answer> {
  if (outcome.kind === 'refused') return await refuseArchive(screen, visit, outcome);
  const { publication, warnings } = outcome;
  return seeOther(`${visit.base}/publications/${publication.id}`, {
    tone: 'good',
    message: warnings.length === 0 ? 'didPublish' : 'didPublishWithRemarks',
    values: { name: publication.title ?? publication.originalFilename },
    remarks: warnings,
  });
}

function refuseArchive(
  screen: Screen,
  visit: SignedInContext,
  refusal: Extract<PublishOutcome, Refusal>,
): Promise<Answer> | Answer {
  switch (refusal.code) {
    case 'refused_by_host':
      return showList(screen, visit, { status: 422, publish: { summary: hostWords(visit, refusal) } });
    case 'account_blocked':
    case 'quota_exceeded':
    case 'rate_limited':
    case 'read_only':
      return showList(screen, visit, {
        status: statusOf(refusal),
        publish: { summary: refusedWords(visit, refusal) },
      });
    case 'archive_too_large':
      return showProblems(screen, visit, 413, [tooLarge(refusal.limit)]);
    case 'invalid_archive':
      return showProblems(screen, visit, 422, refusal.problems);
    case 'idempotency_in_progress':
      return formTrouble(screen, visit, 409, 'stillPublishing');
    case 'idempotency_mismatch':
      return formTrouble(screen, visit, 409, 'formUsed');
    case 'invalid_filename':
    case 'invalid_idempotency_key':
    case 'invalid_name':
    case 'invalid_password':
    case 'invalid_title':
      return formTrouble(screen, visit, 422, oddText(refusal));
    case 'unauthorized':
      return askToSignIn(screen, visit);
    default:
      return refusal satisfies never;
  }
}

function statusOf({ code }: Inadmissible): number {
  if (code === 'read_only') return 503;
  return code === 'rate_limited' ? 429 : 403;
}

function hostWords({ words }: SignedInContext, { words: own }: Refusal<'refused_by_host'>): string {
  return (words.language === 'ja' ? own.ja : undefined) ?? own.en;
}

import type { PublishOutcome, Refusal } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { type Answer, seeOther } from '../answering/answer.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { problemList } from '../views/problems.ts';
import type { SignedInVisit } from '../visiting/visit.ts';
import { formTrouble, showList } from './list.ts';
import type { ArchiveVisit } from './receive.ts';

/** Publishes what the form of a browser without scripts brought. */
export async function publishForm(screen: Screen, visit: ArchiveVisit): Promise<Answer> {
  return await answerForm(screen, visit, await publish(screen, visit));
}

/** Publishes a ZIP that our script sent. */
export async function publishUpload(screen: Screen, visit: ArchiveVisit): Promise<Answer> {
  return answerScript(screen, visit, await publish(screen, visit));
}

function publish({ useCases }: Screen, { account, wish, archive }: ArchiveVisit): Promise<PublishOutcome> {
  return useCases.publish.publish({ account, ...wish, archive });
}

function answerScript(screen: Screen, visit: SignedInVisit, outcome: PublishOutcome): Answer {
  if (outcome.kind !== 'refused') {
    const { role, warnings } = outcome;
    const body = {
      kind: outcome.kind,
      id: role.id,
      sharedUrl: sharedUrl(screen.publicUrl, role.id),
      expiresAt: role.expiresAt,
      remarks: warnings,
    };
    return { kind: 'json', status: outcome.kind === 'published' ? 201 : 200, body };
  }
  switch (outcome.code) {
    case 'invalid_archive':
      return { kind: 'json', status: 422, body: { kind: 'problems', problems: outcome.problems } };
    case 'refused_by_host':
      return { kind: 'json', status: 422, body: { kind: 'refused', message: hostWords(visit, outcome) } };
    case 'idempotency_mismatch':
      return { kind: 'json', status: 409, body: { kind: 'mismatch' } };
    case 'idempotency_in_progress':
      return { kind: 'json', status: 409, body: { kind: 'in_progress' }, retryAfter: 1 };
    default:
      return outcome satisfies never;
  }
}

async function answerForm(screen: Screen, visit: SignedInVisit, outcome: PublishOutcome): Promise<Answer> {
  if (outcome.kind === 'refused') {
    if (outcome.code === 'refused_by_host') {
      return showList(screen, visit, {
        status: 422,
        publish: { summary: hostWords(visit, outcome) },
      });
    }
    if (outcome.code !== 'invalid_archive') return formTrouble(screen, visit, 409, REFUSED[outcome.code]);
    const problems = problemList(visit.words, outcome.problems);
    return showList(screen, visit, {
      status: 422,
      publish: { summary: visit.words.say('problemsTitle'), problems },
    });
  }
  const { role, warnings } = outcome;
  return seeOther(`${visit.base}/publications/${role.id}`, {
    tone: 'good',
    message: warnings.length === 0 ? 'didPublish' : 'didPublishWithRemarks',
    values: { name: role.title ?? role.originalFilename },
    remarks: warnings,
  });
}

const REFUSED: Readonly<Record<'idempotency_in_progress' | 'idempotency_mismatch', MessageId>> = {
  idempotency_in_progress: 'stillPublishing',
  idempotency_mismatch: 'formUsed',
};

function hostWords({ words }: SignedInVisit, { words: own }: Refusal<'refused_by_host'>): string {
  return (words.language === 'ja' ? own.ja : undefined) ?? own.en;
}

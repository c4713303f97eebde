import {
  type Inadmissible,
  type Limits,
  minutes,
  type Publication,
  type PublishOutcome,
  type Refusal,
  type StagedArchive,
  seconds,
} from '@pinfold/core';
import { discardQuietly } from '@pinfold/core/internal';
import { nameUrl, sharedUrl } from '@pinfold/http';
import {
  hashOnly,
  type ReceiveFile,
  type ReceiveFormOptions,
  receiveForm,
  receiveInto,
} from '@pinfold/http/internal';
import type { PublishProblem } from '@pinfold/http/internal/texts';
import { problemList } from '../problem-lists.ts';
import { publicationName, type SentPublication } from '../publication.ts';
import { refusedWords } from '../quota-text.ts';
import { askToSignIn, type Guard, refuseAgain } from '../request/middleware.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, seeOther } from '../response/answer.ts';
import { duringMaintenance, refuse, wantsJson } from '../response/refuse.ts';
import { type UploadFields, UploadForm, type UploadRefusal } from '../upload-form.ts';
import { showList } from './list.ts';
import { invalidText } from './publication.ts';

/** A request with an archive; the handler publishes or discards it. */
interface ArchiveContext extends SignedInContext {
  readonly upload: UploadFields;
  readonly archive: StagedArchive;
}

interface Refused {
  readonly status: number;
  readonly kind: 'problems' | 'refused' | 'mismatch' | 'in_progress';
  readonly message: string;
  readonly problems?: readonly PublishProblem[];
}

/** Receives the form with the archive, and authenticates again behind its body. */
export const archiveReceived: Guard<SignedInContext, ArchiveContext> = async (context) => {
  const { screen } = context;
  const limits = await screen.useCases.limitsOf(context.account);
  const reader = new UploadForm(context.formToken, limits);
  const options = receiving(context, limits, reader);
  const form = await screen.uploads.take(context.account, context.signal, (follow) =>
    receiveForm(context.request, reader, { ...options, follow }),
  );
  const archive = form.kind === 'received' ? form.archive : undefined;
  let isTaken = false;
  try {
    const ended = await refuseAgain(context);
    if (ended !== undefined) return ended;
    if (form.kind === 'refused') return await refuseForm(context, form, limits);
    isTaken = true;
    return { ...context, upload: form.fields, archive: form.archive };
  } finally {
    if (!isTaken && archive !== undefined) await discardQuietly(archive);
  }
};

function receiving(
  { account: by, screen }: SignedInContext,
  { archiveBytes }: Limits,
  form: UploadForm,
): ReceiveFormOptions {
  const { clock, findByKey, staging } = screen.useCases;
  const receive: ReceiveFile = async (file, limit) => {
    const { key } = form;
    // A key that has published stays complete for ever: a repetition only needs its hash.
    const isRepeated = key !== undefined && (await findByKey({ by, key })) !== undefined;
    return await (isRepeated ? hashOnly : receiveInto(staging))(file, limit);
  };
  return { clock, receive, archiveBytes, idle: seconds(30), total: minutes(15) };
}

/** Publishes what a form or our script sent: a page is answered with a redirect, the script with JSON. */
export async function publish(context: ArchiveContext): Promise<Answer> {
  const { account: by, cause, credential, archive, screen } = context;
  const upload = { ...context.upload, name: context.upload.name || null };
  const outcome = await screen.useCases.publish({ by, ...upload, archive, cause, credential });
  if (outcome.kind === 'refused') {
    return outcome.code === 'unauthorized'
      ? askToSignIn(context)
      : await refuseUpload(context, outcome.code, refused(context, outcome));
  }
  const { publication, warnings: remarks, name: shownAt } = outcome;
  const { id } = publication;
  if (wantsJson(context)) {
    // Of a replay, the name may show another publication by now.
    const isShown = shownAt?.pin === id;
    const name = isShown ? { name: shownAt.name, url: nameUrl(screen.publicUrl, shownAt) } : undefined;
    const body = { kind: outcome.kind, ...sent(context, publication), remarks, name };
    return { kind: 'json', status: outcome.kind === 'published' ? 201 : 200, body };
  }
  return seeOther(`${context.base}/publications/${id}`, {
    tone: 'good',
    message: remarks.length === 0 ? 'didPublish' : 'didPublishWithRemarks',
    values: { name: publicationName(publication) },
    remarks,
  });
}

/** Cancels an upload of our script, and answers what has become of it. */
export async function cancel(context: SignedInContext): Promise<Answer> {
  const { account: by, screen } = context;
  const outcome = await screen.useCases.cancel({ by, key: fieldOf(context, 'key') ?? '' });
  if (outcome.kind === 'refused') return refuse(context, 400, 'badFormTitle', 'badFormText');
  if (outcome.kind !== 'published') return { kind: 'json', status: 200, body: outcome };
  const { state } = outcome.publication;
  const body = { kind: 'published', ...sent(context, outcome.publication), state };
  return { kind: 'json', status: 200, body };
}

function sent({ screen }: SignedInContext, publication: Publication): SentPublication {
  const { id, expiresAt, passwordProtected } = publication;
  return { id, sharedUrl: sharedUrl(screen.publicUrl, id), expiresAt, passwordProtected };
}

async function refuseForm(
  context: SignedInContext,
  { status, title, texts, readOfTitle = 0, fault }: UploadRefusal,
  { archiveBytes, titleCharacters }: Limits,
): Promise<Answer> {
  if (title !== undefined) {
    const log = fault === undefined ? {} : { error: new Error(fault) };
    return logged(refuse(context, status, title, texts[0]), log);
  }
  const { messages } = context;
  const values = { limit: titleCharacters, actual: `${messages.number(readOfTitle)}+` };
  const message = messages.join(texts.map((id) => messages.text(id, values)));
  if (status === 413)
    return await refuseUpload(context, 'archive_too_large', { ...tooLarge(context, archiveBytes), message });
  return await refuseUpload(context, 'invalid_form', { status, kind: 'refused', message });
}

async function refuseUpload(
  context: SignedInContext,
  outcome: string,
  { status, ...body }: Refused,
): Promise<Answer> {
  const log = { outcome };
  if (!wantsJson(context)) {
    const problems = body.problems && problemList(context.messages, body.problems);
    const publish = { summary: body.message, problems };
    return logged(await showList(context, { status, publish }), log);
  }
  const answer = { kind: 'json', status, body, log } as const;
  if (outcome === 'read_only') return duringMaintenance(answer);
  return outcome === 'idempotency_in_progress' ? { ...answer, retryAfter: 1 } : answer;
}

function refused(
  context: SignedInContext,
  refusal: Exclude<Extract<PublishOutcome, Refusal>, { code: 'unauthorized' }>,
): Refused {
  const { messages } = context;
  switch (refusal.code) {
    case 'invalid_archive':
      return brokenArchive(context, 422, refusal.problems);
    case 'archive_too_large':
      return tooLarge(context, refusal.limit);
    case 'refused_by_host':
      return { status: 422, kind: 'refused', message: refusal.words[messages.language] ?? refusal.words.en };
    case 'account_blocked':
    case 'quota_exceeded':
    case 'rate_limited':
    case 'read_only':
      return { status: statusOf(refusal), kind: 'refused', message: refusedWords(context, refusal) };
    case 'idempotency_mismatch':
      return { status: 409, kind: 'mismatch', message: messages.text('idempotency_mismatch_form') };
    case 'idempotency_in_progress':
      return { status: 409, kind: 'in_progress', message: messages.text('idempotency_in_progress') };
    case 'invalid_filename':
    case 'invalid_name':
      return { status: 422, kind: 'refused', message: messages.text(refusal.code) };
    case 'invalid_idempotency_key':
      return { status: 422, kind: 'refused', message: messages.text('badFormText') };
    case 'invalid_title':
    case 'invalid_password':
      return { status: 422, kind: 'refused', message: invalidText(context, refusal) };
    default:
      return refusal satisfies never;
  }
}

function brokenArchive(
  { messages }: SignedInContext,
  status: number,
  problems: readonly PublishProblem[],
): Refused {
  return { status, kind: 'problems', message: messages.text('problemsTitle'), problems };
}

function tooLarge(context: SignedInContext, limit: number): Refused {
  return brokenArchive(context, 413, [{ rule: 'archive_too_large', limit }]);
}

function statusOf({ code }: Inadmissible): number {
  if (code === 'read_only') return 503;
  return code === 'rate_limited' ? 429 : 403;
}

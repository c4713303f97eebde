import {
  type IdempotencyKey,
  type Limits,
  minutes,
  type StagedArchive,
  type Staging,
  seconds,
} from '@pinfold/core';
import { discardQuietly } from '@pinfold/core/internal';
import { hashOnly, type ReceiveFormOptions, receiveArchive, receiveForm } from '@pinfold/http/internal';
import type { Screen } from '../options.ts';
import { type Guard, passed, refuseAgain } from '../request/middleware.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, logged } from '../response/answer.ts';
import { refuse } from '../response/refuse.ts';
import { oddText, readWish, UploadForm, type UploadRefusal, type Wish } from '../upload-form.ts';
import { problemList } from '../views/problems.ts';
import { showList, tooLarge } from './list.ts';

/** A request with an archive; the handler publishes or discards it. */
export interface ArchiveContext extends SignedInContext {
  readonly wish: Wish;
  readonly archive: StagedArchive;
}

/** Receives the multipart form of a browser without scripts, whose token must come before its file. */
export const archiveInForm: Guard<SignedInContext, ArchiveContext> = async (screen, visit) => {
  const limits = await screen.useCases.limitsOf(visit.account);
  const reader = new UploadForm(visit.formToken, limits);
  const form = await screen.uploads.take(visit.account, visit.signal, (follow) =>
    receiveForm(visit.request, reader, { ...receiving(screen, visit, limits, () => reader.key), follow }),
  );
  const ended = await endedMeanwhile(screen, visit, form.kind === 'received' ? form.archive : undefined);
  if (ended !== undefined) return ended;
  if (form.kind === 'refused') return await refuseForm(screen, visit, form, limits);
  return passed({ ...visit, wish: form.wish, archive: form.archive });
};

/** Receives a ZIP as the body of the request, from our script. */
export const archiveInBody: Guard<SignedInContext, ArchiveContext> = async (screen, visit) => {
  const limits = await screen.useCases.limitsOf(visit.account);
  const { headers } = visit.request;
  const sent = {
    key: textOf(headers['idempotency-key']),
    filename: decoded(headers['x-pinfold-filename']),
    title: decoded(headers['x-pinfold-title']),
    password: decoded(headers['x-pinfold-password']),
  };
  const wish = readWish(sent, limits);
  if ('kind' in wish) return refuse(visit, 400, 'badFormTitle', oddText(wish));
  const received = await screen.uploads.take(visit.account, visit.signal, (follow) =>
    receiveArchive(visit.request, { ...receiving(screen, visit, limits, () => wish.key), follow }),
  );
  switch (received.kind) {
    case 'received': {
      const ended = await endedMeanwhile(screen, visit, received.archive);
      return ended ?? passed({ ...visit, wish, archive: received.archive });
    }
    case 'too_large':
      return {
        kind: 'json',
        status: 413,
        body: { kind: 'problems', problems: [tooLarge(limits.archiveBytes)] },
        log: { outcome: 'archive_too_large' },
      };
    case 'unread': {
      const refusal = new UploadForm(visit.formToken, limits).refuse(received.trouble);
      return await refuseForm(screen, visit, { ...refusal, title: 'badFormTitle' }, limits);
    }
    default:
      return received satisfies never;
  }
};

/** Authenticates again behind the body; an archive of a request that ends here is discarded. */
async function endedMeanwhile(
  screen: Screen,
  visit: SignedInContext,
  archive: StagedArchive | undefined,
): Promise<Answer | undefined> {
  let isKept = false;
  try {
    const ended = await refuseAgain(screen, visit);
    isKept = ended === undefined;
    return ended;
  } finally {
    if (!isKept && archive !== undefined) await discardQuietly(archive);
  }
}

/** @param keyOf the key of the upload when its archive begins, if it is known by then. */
function receiving(
  { useCases: { clock, findByKey, staging } }: Screen,
  { account: by }: SignedInContext,
  { archiveBytes }: Limits,
  keyOf: () => IdempotencyKey | undefined,
): ReceiveFormOptions {
  const receive: Staging['receive'] = async (...upload) => {
    const key = keyOf();
    // A key that has published stays complete for ever: a repetition only needs its hash.
    const isRepeated = key !== undefined && (await findByKey({ by, key })) !== undefined;
    return await (isRepeated ? hashOnly : staging).receive(...upload);
  };
  return { clock, staging: { receive }, archiveBytes, idle: seconds(30), total: minutes(15) };
}

async function refuseForm(
  screen: Screen,
  visit: SignedInContext,
  { status, title, text, fault }: UploadRefusal,
  { archiveBytes }: Limits,
): Promise<Answer> {
  if (title !== undefined) {
    const log = fault === undefined ? {} : { error: new Error(fault) };
    return logged(refuse(visit, status, title, text), log);
  }
  const isTooLarge = status === 413;
  const problems = isTooLarge ? problemList(visit.words, [tooLarge(archiveBytes)]) : undefined;
  const publish = { summary: visit.words.say(text), problems };
  const answer = await showList(screen, visit, { status, publish });
  return logged(answer, { outcome: isTooLarge ? 'archive_too_large' : 'invalid_form' });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A header's text, percent-encoded because headers are ASCII. */
function decoded(value: unknown): string | undefined {
  const text = textOf(value);
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

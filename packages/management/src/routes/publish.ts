import {
  type Filename,
  type IdempotencyKey,
  type PublishOutcome,
  parseFilename,
  parseIdempotencyKey,
  parseTitle,
  type Refusal,
  type StagedArchive,
  type Title,
} from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { type Answer, seeOther } from '../answer.ts';
import { isSameToken } from '../form-guard.ts';
import { discard, readUploadForm } from '../form-upload.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { ManagementOptions } from '../options.ts';
import type { ScreenProblem } from '../problem-groups.ts';
import { LONGEST_UPLOAD, whileItComes } from '../receive.ts';
import { refuse } from '../serve.ts';
import { problemList } from '../views/problems.ts';
import type { SignedInVisit } from '../visit.ts';
import { showList } from './list.ts';

/** What names a publication, before its archive is looked at. */
interface Wish {
  readonly key: IdempotencyKey;
  readonly filename: Filename;
  readonly title: Title | null;
}

/** Publishes what people choose here: by a form, or by a script that shows how far it is. */
export class PublishRoutes {
  readonly #options: ManagementOptions;
  readonly #uploads: Uploads;

  constructor(options: ManagementOptions) {
    this.#options = options;
    this.#uploads = options.uploads ?? new Uploads({ clock: options.useCases.clock });
  }

  /** The multipart form of a browser without scripts. */
  async publishForm(visit: SignedInVisit): Promise<Answer> {
    const { useCases } = this.#options;
    const { request, response, formToken: token } = visit;
    const form = await this.#uploads.take(visit.account, visit.signal, () =>
      readUploadForm(request, response, { useCases, token }),
    );
    if (form === 'broken') return refuse(visit, 400, 'badFormTitle', 'badFormText');
    if ('kind' in form) return this.#trouble(visit, 408, 'uploadStalled');
    const { fields, filename, archive } = form;
    if (!isSameToken(token, textOf(fields.form)))
      return refuse(visit, 403, 'staleFormTitle', 'staleFormText');
    if (filename === undefined || filename === '' || archive === undefined)
      return this.#trouble(visit, 422, 'nothingChosen');
    if (archive.kind === 'too_large') return this.#tooLarge(visit);
    const wish = this.#wish({ key: textOf(fields.key), filename, title: textOf(fields.title) });
    if ('kind' in wish) {
      await discard(archive);
      return this.#trouble(visit, 422, REFUSED[wish.code]);
    }
    return await this.#answerForm(visit, await this.#publish(visit, wish, archive.archive));
  }

  /** A ZIP as the body of the request, which our script sends with progress, and again after a break. */
  async publishUpload(visit: SignedInVisit): Promise<Answer> {
    const { clock, staging, limits } = this.#options.useCases;
    const { request } = visit;
    const { headers } = request;
    if (!isSameToken(visit.formToken, textOf(headers['x-pinfold-form']))) {
      return refuse(visit, 403, 'staleFormTitle', 'staleFormText');
    }
    const wish = this.#wish({
      key: textOf(headers['idempotency-key']),
      filename: decoded(headers['x-pinfold-filename']),
      title: decoded(headers['x-pinfold-title']),
    });
    if ('kind' in wish) return refuse(visit, 400, 'badFormTitle', REFUSED[wish.code]);
    const received = await this.#uploads.take(visit.account, visit.signal, () => {
      const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
      return whileItComes(request, clock, LONGEST_UPLOAD, (stall) =>
        staging.receive(body, limits.archiveBytes, stall),
      );
    });
    if (received.kind === 'stalled') return refuse(visit, 408, 'badFormTitle', 'uploadStalled');
    if (received.kind === 'too_large') {
      return {
        kind: 'json',
        status: 413,
        body: { kind: 'problems', problems: [tooLarge(limits.archiveBytes)] },
      };
    }
    return this.#answerScript(visit, await this.#publish(visit, wish, received.archive));
  }

  #wish(sent: {
    readonly key: string | undefined;
    readonly filename: string | undefined;
    readonly title: string | undefined;
  }): Wish | Refusal<WishCode> {
    const { limits } = this.#options.useCases;
    const key = parseIdempotencyKey(sent.key ?? '', limits);
    if (typeof key !== 'string') return key;
    const filename = parseFilename(sent.filename ?? '');
    if (typeof filename !== 'string') return filename;
    const given = (sent.title ?? '').trim();
    // A list of nameless publications helps nobody, so the file's name is the title until somebody gives another.
    const title = parseTitle(given === '' ? filename.replace(/\.zip$/i, '') : given, limits);
    return title === null || typeof title === 'string' ? { key, filename, title } : title;
  }

  #publish(visit: SignedInVisit, wish: Wish, archive: StagedArchive): Promise<PublishOutcome> {
    return this.#options.useCases.publish.publish({ account: visit.account, ...wish, archive });
  }

  #answerScript(visit: SignedInVisit, outcome: PublishOutcome): Answer {
    if (outcome.kind !== 'refused') {
      const { role, warnings } = outcome;
      const body = {
        kind: outcome.kind,
        id: role.id,
        sharedUrl: `${this.#options.publicUrl}/s/${role.id}`,
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

  async #answerForm(visit: SignedInVisit, outcome: PublishOutcome): Promise<Answer> {
    if (outcome.kind === 'refused') {
      if (outcome.code === 'refused_by_host') {
        return showList(this.#options, visit, {
          status: 422,
          publish: { summary: hostWords(visit, outcome) },
        });
      }
      if (outcome.code !== 'invalid_archive') return this.#trouble(visit, 409, REFUSED[outcome.code]);
      const problems = problemList(visit.words, outcome.problems);
      return showList(this.#options, visit, {
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

  #tooLarge(visit: SignedInVisit): Promise<Answer> {
    const { words } = visit;
    const problems = problemList(words, [tooLarge(this.#options.useCases.limits.archiveBytes)]);
    return showList(this.#options, visit, {
      status: 413,
      publish: { summary: words.say('problemsTitle'), problems },
    });
  }

  #trouble(visit: SignedInVisit, status: number, message: MessageId): Promise<Answer> {
    return showList(this.#options, visit, { status, publish: { summary: visit.words.say(message) } });
  }
}

type WishCode = 'invalid_filename' | 'invalid_idempotency_key' | 'invalid_title';

const REFUSED: Readonly<Record<WishCode | 'idempotency_in_progress' | 'idempotency_mismatch', MessageId>> = {
  invalid_filename: 'filenameOdd',
  invalid_idempotency_key: 'badFormText',
  invalid_title: 'titleOdd',
  idempotency_in_progress: 'stillPublishing',
  idempotency_mismatch: 'formUsed',
};

function tooLarge(limit: number): ScreenProblem {
  return { rule: 'archive_too_large', limit };
}

function hostWords({ words }: SignedInVisit, { words: own }: Refusal<'refused_by_host'>): string {
  return (words.language === 'ja' ? own.ja : undefined) ?? own.en;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A header's text, percent-encoded since headers carry no other characters than ASCII safely. */
function decoded(value: unknown): string | undefined {
  const text = textOf(value);
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

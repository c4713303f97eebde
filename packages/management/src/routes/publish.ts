import {
  type Limits,
  minutes,
  type PublishOutcome,
  type Refusal,
  type StagedArchive,
  seconds,
} from '@pinfold/core';
import { type ReceiveFormOptions, receiveArchive, receiveForm, sharedUrl } from '@pinfold/http';
import { type Answer, seeOther } from '../answer.ts';
import { isSameToken } from '../form-guard.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import type { ScreenProblem } from '../problem-groups.ts';
import { refuse } from '../serve.ts';
import { oddText, readWish, UploadForm, type UploadRefusal, type Wish } from '../upload-form.ts';
import { problemList } from '../views/problems.ts';
import type { SignedInVisit } from '../visit.ts';
import { showList } from './list.ts';

/** Publishes what people choose here: by a form, or by a script that shows how far it is. */
export class PublishRoutes {
  readonly #options: Screen;

  constructor(options: Screen) {
    this.#options = options;
  }

  /** The multipart form of a browser without scripts. */
  async publishForm(visit: SignedInVisit): Promise<Answer> {
    const form = await this.#options.uploads.take(visit.account, visit.signal, () =>
      receiveForm(visit.request, new UploadForm(visit.formToken, this.#limits), this.#receiving),
    );
    if (form.kind === 'refused') return await this.#refuseForm(visit, form);
    return await this.#answerForm(visit, await this.#publish(visit, form.wish, form.archive));
  }

  /** A ZIP as the body of the request, which our script sends with progress, and again after a break. */
  async publishUpload(visit: SignedInVisit): Promise<Answer> {
    const { headers } = visit.request;
    if (!isSameToken(visit.formToken, textOf(headers['x-pinfold-form']))) {
      return refuse(visit, 403, 'staleFormTitle', 'staleFormText');
    }
    const sent = {
      key: textOf(headers['idempotency-key']),
      filename: decoded(headers['x-pinfold-filename']),
      title: decoded(headers['x-pinfold-title']),
    };
    const wish = readWish(sent, this.#limits);
    if ('kind' in wish) return refuse(visit, 400, 'badFormTitle', oddText(wish));
    const received = await this.#options.uploads.take(visit.account, visit.signal, () =>
      receiveArchive(visit.request, this.#receiving),
    );
    switch (received.kind) {
      case 'received':
        return this.#answerScript(visit, await this.#publish(visit, wish, received.archive));
      case 'too_large': {
        const problems = [tooLarge(this.#limits.archiveBytes)];
        return { kind: 'json', status: 413, body: { kind: 'problems', problems } };
      }
      case 'unread': {
        const { status, text } = new UploadForm(visit.formToken, this.#limits).refuse(received.trouble);
        return refuse(visit, status, 'badFormTitle', text);
      }
      default:
        return received satisfies never;
    }
  }

  get #limits(): Limits {
    return this.#options.useCases.limits;
  }

  get #receiving(): ReceiveFormOptions {
    const { clock, staging, limits } = this.#options.useCases;
    return { clock, staging, archiveBytes: limits.archiveBytes, idle: seconds(30), total: minutes(15) };
  }

  #publish(visit: SignedInVisit, wish: Wish, archive: StagedArchive): Promise<PublishOutcome> {
    return this.#options.useCases.publish({ by: visit.account, ...wish, archive });
  }

  #answerScript(visit: SignedInVisit, outcome: PublishOutcome): Answer {
    if (outcome.kind !== 'refused') {
      const { role, warnings } = outcome;
      const body = {
        kind: outcome.kind,
        id: role.id,
        sharedUrl: sharedUrl(this.#options.publicUrl, role.id),
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
      case 'archive_too_large':
        return { kind: 'json', status: 413, body: { kind: 'problems', problems: [tooLarge(outcome.limit)] } };
      case 'invalid_filename':
      case 'invalid_idempotency_key':
      case 'invalid_title':
        return refuse(visit, 400, 'badFormTitle', oddText(outcome));
      default:
        return outcome satisfies never;
    }
  }

  async #answerForm(visit: SignedInVisit, outcome: PublishOutcome): Promise<Answer> {
    if (outcome.kind === 'refused') {
      return await this.#refuseArchive(visit, outcome);
    }
    const { role, warnings } = outcome;
    return seeOther(`${visit.base}/publications/${role.id}`, {
      tone: 'good',
      message: warnings.length === 0 ? 'didPublish' : 'didPublishWithRemarks',
      values: { name: role.title ?? role.originalFilename },
      remarks: warnings,
    });
  }

  #refuseArchive(visit: SignedInVisit, refusal: Extract<PublishOutcome, Refusal>): Promise<Answer> {
    switch (refusal.code) {
      case 'refused_by_host':
        return showList(this.#options, visit, {
          status: 422,
          publish: { summary: hostWords(visit, refusal) },
        });
      case 'archive_too_large':
        return this.#problems(visit, 413, 'problemsTitle', [tooLarge(refusal.limit)]);
      case 'invalid_archive':
        return this.#problems(visit, 422, 'problemsTitle', refusal.problems);
      case 'idempotency_in_progress':
        return this.#trouble(visit, 409, 'stillPublishing');
      case 'idempotency_mismatch':
        return this.#trouble(visit, 409, 'formUsed');
      case 'invalid_filename':
      case 'invalid_idempotency_key':
      case 'invalid_title':
        return this.#trouble(visit, 422, oddText(refusal));
      default:
        return refusal satisfies never;
    }
  }

  #refuseForm(visit: SignedInVisit, { status, title, text }: UploadRefusal): Promise<Answer> | Answer {
    if (title !== undefined) return refuse(visit, status, title, text);
    if (status !== 413) return this.#trouble(visit, status, text);
    return this.#problems(visit, status, text, [tooLarge(this.#limits.archiveBytes)]);
  }

  #problems(
    visit: SignedInVisit,
    status: number,
    summary: MessageId,
    broken: readonly ScreenProblem[],
  ): Promise<Answer> {
    const problems = problemList(visit.words, broken);
    return showList(this.#options, visit, {
      status,
      publish: { summary: visit.words.say(summary), problems },
    });
  }

  #trouble(visit: SignedInVisit, status: number, message: MessageId): Promise<Answer> {
    return showList(this.#options, visit, { status, publish: { summary: visit.words.say(message) } });
  }
}

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

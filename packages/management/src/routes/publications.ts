import {
  type ChangeRequest,
  type Generation,
  isFault,
  type Manifest,
  type Overtaken,
  type PasswordRules,
  parseRoleId,
  type Role,
  type RoleId,
  type TitleRules,
  type UpdateOutcome,
} from '@pinfold/core';
import { type Answer, page, seeOther } from '../answer.ts';
import { fieldOf } from '../field.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { type Publication, publicationOf, type RefusedBecause } from '../publication.ts';
import type { Said } from '../said.ts';
import { refuse } from '../serve.ts';
import { detailView, type FieldTrouble } from '../views/detail.ts';
import { NO_RENEWAL } from '../views/detail-cards.ts';
import { stopView } from '../views/stop.ts';
import type { SignedInVisit } from '../visit.ts';
import type { Values } from '../words.ts';

const PASSWORD_MESSAGES: Readonly<Record<keyof PasswordRules, MessageId>> = {
  type: 'passwordOdd',
  encoding: 'passwordOdd',
  too_short: 'passwordTooShort',
  too_long: 'passwordTooLong',
};
const TITLE_MESSAGES: Readonly<Record<keyof TitleRules, MessageId>> = {
  type: 'titleOdd',
  encoding: 'titleOdd',
  too_long: 'titleTooLong',
  control_character: 'titleControl',
};

/** One publication: shown, and changed by the core's rules. */
export class PublicationRoutes {
  readonly #options: Screen;

  constructor(options: Screen) {
    this.#options = options;
  }

  show(visit: SignedInVisit): Promise<Answer> {
    return this.#show(visit);
  }

  async askToStop(visit: SignedInVisit): Promise<Answer> {
    const role = await this.#read(visit);
    if (role === undefined) return notFound(visit);
    const publication = this.#publication(visit, role);
    return publication.refused.stop === undefined
      ? page(stopView(visit, publication))
      : seeOther(this.#path(visit, role.id), refusal('deleted', 'didStop'));
  }

  async stop(visit: SignedInVisit): Promise<Answer> {
    return this.#change(visit, (request) => this.#options.useCases.stop(request), 'didStop');
  }

  async pin(visit: SignedInVisit): Promise<Answer> {
    return this.#change(visit, (request) => this.#options.useCases.pin(request), 'didPin');
  }

  async unpin(visit: SignedInVisit): Promise<Answer> {
    return this.#change(visit, (request) => this.#options.useCases.unpin(request), 'didUnpin');
  }

  async renew(visit: SignedInVisit): Promise<Answer> {
    const { update } = this.#options.useCases;
    return this.#change(visit, (request) => update(request, { type: 'reset_expiration' }), 'didRenew');
  }

  /** Renames only what still has the title that the form was made with. */
  async rename(visit: SignedInVisit): Promise<Answer> {
    const { updateSeen } = this.#options.useCases;
    const title = fieldOf(visit.request, 'title') ?? '';
    const seen = { title: fieldOf(visit.request, 'seen') || null };
    const change = (request: ChangeRequest) => updateSeen(request, { type: 'set_title', title }, seen);
    return await this.#change(visit, change, title === '' ? 'didClearTitle' : 'didRename', title);
  }

  /** Sets, changes or removes the password, unless viewers were cut off since the form was made. */
  async password(visit: SignedInVisit): Promise<Answer> {
    const { updateSeen, limits } = this.#options.useCases;
    const removes = fieldOf(visit.request, 'remove') === 'yes';
    const password = removes ? null : (fieldOf(visit.request, 'password') ?? '');
    if (password === '') {
      const message = visit.words.say('passwordTooShort', { limit: limits.passwordMinCharacters });
      return await this.#show(visit, { field: 'password', message });
    }
    const generation = generationOf(fieldOf(visit.request, 'seen') ?? '');
    if (generation === undefined) return refuse(visit, 400, 'badFormTitle', 'badFormText');
    const change = (request: ChangeRequest) =>
      updateSeen(request, { type: 'set_password', password }, { generation });
    return await this.#change(visit, change, removes ? 'didRemovePassword' : 'didSetPassword');
  }

  async #show(visit: SignedInVisit, trouble?: FieldTrouble): Promise<Answer> {
    const role = await this.#read(visit);
    if (role === undefined) return notFound(visit);
    const manifest = await this.#manifest(role, visit.signal);
    const publication = this.#publication(visit, role);
    const { limits } = this.#options.useCases;
    return page(
      detailView(visit, { publication, limits, manifest, ...(trouble === undefined ? {} : { trouble }) }),
      trouble === undefined ? 200 : 422,
    );
  }

  async #change(
    visit: SignedInVisit,
    change: (request: ChangeRequest) => Promise<UpdateOutcome | Overtaken>,
    done: MessageId,
    title?: string,
  ): Promise<Answer> {
    const id = idOf(visit);
    if (id === undefined) return notFound(visit);
    const outcome = await change({ by: visit.account, id, signal: visit.signal });
    if (outcome.kind === 'overtaken' && title !== undefined) {
      const message = visit.words.say('titleOvertaken', {
        title: outcome.role.title ?? visit.words.say('noTitle'),
      });
      return await this.#show(visit, { field: 'title', value: title, message });
    }
    if (outcome.kind === 'overtaken')
      return seeOther(this.#path(visit, id), { tone: 'bad', message: 'overtaken' });
    if (outcome.kind === 'changed')
      return seeOther(this.#back(visit, id), {
        tone: 'good',
        message: done,
        values: valuesOf(visit, outcome.role),
      });
    const { words } = visit;
    switch (outcome.code) {
      case 'not_found':
        return notFound(visit);
      case 'invalid_state':
        return seeOther(this.#path(visit, id), refusal(outcome.state, done));
      case 'invalid_title': {
        const message = words.say(TITLE_MESSAGES[outcome.rule], { ...outcome });
        return await this.#show(visit, { field: 'title', message, value: title ?? '' });
      }
      case 'invalid_password': {
        const message = words.say(PASSWORD_MESSAGES[outcome.rule], { ...outcome });
        return await this.#show(visit, { field: 'password', message });
      }
      default:
        return outcome satisfies never;
    }
  }

  async #read(visit: SignedInVisit): Promise<Role | undefined> {
    const id = idOf(visit);
    if (id === undefined) return undefined;
    const found = await this.#options.useCases.read({ by: visit.account, id, signal: visit.signal });
    return found.kind === 'found' ? found.role : undefined;
  }

  /** Files that storage lost are shown as gone: their owner must still be able to stop what is left. */
  async #manifest(role: Role, signal: AbortSignal): Promise<Manifest | undefined> {
    try {
      const opened = await this.#options.useCases.open.manifest(role, signal);
      return opened.kind === 'manifest' ? opened.manifest : undefined;
    } catch (error) {
      if (isFault(error) && error.code === 'archive_missing') return undefined;
      throw error;
    }
  }

  #publication(visit: SignedInVisit, role: Role): Publication {
    const { publicUrl, useCases } = this.#options;
    return publicationOf(role, { publicUrl, now: visit.now, limits: useCases.limits });
  }

  #path({ base }: SignedInVisit, id: RoleId): string {
    return `${base}/publications/${id}`;
  }

  /** Where the person was: the list, when the form stood there. */
  #back(visit: SignedInVisit, id: RoleId): string {
    const { referer } = visit.request.headers;
    const from = referer !== undefined && URL.canParse(referer) ? new URL(referer) : undefined;
    const isList = from?.pathname === `${visit.base}/` || from?.pathname === visit.base;
    return isList ? `${visit.base}/${from?.search ?? ''}` : this.#path(visit, id);
  }
}

function idOf({ request }: SignedInVisit): RoleId | undefined {
  return parseRoleId(String(request.params.id));
}

function notFound(visit: SignedInVisit): Answer {
  return refuse(visit, 404, 'notFoundTitle', 'notFoundText');
}

function valuesOf({ words }: SignedInVisit, role: Role): Values {
  const name = role.title ?? role.originalFilename;
  return { name, moment: role.expiresAt === null ? '' : words.moment(role.expiresAt) };
}

/** Why the core refused, in the words for what was tried. */
function refusal(reason: RefusedBecause, tried: MessageId): Said {
  if (tried === 'didRenew') return { tone: 'bad', message: NO_RENEWAL[reason] };
  return { tone: 'bad', message: reason === 'deleted' ? 'alreadyStopped' : 'alreadyExpired' };
}

/** The generation that a form was made with, as a whole number. */
function generationOf(text: string): Generation | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as Generation) : undefined;
}

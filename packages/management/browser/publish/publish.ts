import { instant } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal/html';
import type { Values } from '../../src/i18n.ts';
import { problemList, remarkList, type ScreenProblem } from '../../src/problem-lists.ts';
import { putOnClipboard } from '../copy.ts';
import { pageOf } from '../dialogs.ts';
import type { Chosen } from '../publish-panel.ts';
import { askForBuiltSite, askToLeaveOut } from './ask.ts';
import { type PublishingId, type Speech, speech } from './browser-i18n.ts';
import { button, elementOf } from './elements.ts';
import { type ArchiveLimits, judgeArchive, judgeFolder, judgeSize } from './judge.ts';
import { pack } from './pack.ts';
import { ProgressPanel } from './progress-panel.ts';
import { type FolderSource, type Source, sourceOf, titleIn, withoutForbidden } from './source.ts';
import { type Published, type Upload, type UploadOutcome, upload } from './upload.ts';

interface PanelData {
  readonly token: string;
  readonly limits: ArchiveLimits;
}

/** A ZIP to upload, and what it was made of: packing may have left out more, by content. */
interface Packed<From extends Source = Source> {
  readonly archive: Blob;
  readonly source: From;
}

const NAMED = 5;

const CANCELLED: unique symbol = Symbol('cancelled');

export async function publish(panel: HTMLElement, chosen: Chosen): Promise<void> {
  if (panel.hasAttribute('data-working')) return;
  await new Publishing(panel).run(chosen);
}

class Publishing {
  readonly #panel: HTMLElement;
  readonly #words: Speech = speech();
  readonly #stage: ProgressPanel;
  readonly #data: PanelData;
  #cancel: AbortController = new AbortController();

  constructor(panel: HTMLElement) {
    this.#panel = panel;
    this.#data = JSON.parse(panel.dataset.publish ?? '') as PanelData;
    this.#stage = new ProgressPanel(panel, this.#words);
  }

  async run(chosen: Chosen): Promise<void> {
    this.#stage.open();
    await this.#unlessCancelled(async () => {
      const given = await this.#look(chosen);
      const chosenSite = given && (await askForBuiltSite(this.#words, given));
      if (given !== undefined && chosenSite === undefined) this.#fail('cancelled');
      const packed = chosenSite && (await this.#archiveOf(chosenSite));
      if (packed === undefined) return;
      const { archive, source } = packed;
      const { action = '' } = this.#panel.dataset;
      const filename = source.kind === 'archive' ? source.name : `${source.name || 'site'}.zip`;
      const title = await titleIn(source);
      const password = this.#panel.querySelector<HTMLInputElement>('#publish-password')?.value;
      const { token } = this.#data;
      await this.#send({ action, token, key: newKey(), filename, title, password, archive }, source);
    });
  }

  async #unlessCancelled(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error !== CANCELLED) throw error;
      this.#fail('cancelled');
    }
  }

  async #look(chosen: Chosen): Promise<Source | undefined> {
    const first = chosen.kind === 'entries' ? chosen.entries[0] : chosen.files[0];
    const folder = first instanceof File ? first.webkitRelativePath.split('/')[0] : undefined;
    const name = folder || (first?.name ?? '');
    this.#work('preparing', name);
    try {
      return (await sourceOf(chosen)) ?? this.#fail('oneThing');
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return this.#fail('unreadable', { name });
    }
  }

  /** The ZIP to upload, when nothing speaks against it. What was left out of it is asked about last. */
  async #archiveOf(chosen: Source): Promise<Packed | undefined> {
    const { limits } = this.#data;
    const source = chosen.kind === 'folder' ? chosen : withoutForbidden(chosen);
    const { leftOut } = source;
    const judged =
      source.kind === 'folder' ? judgeFolder(source.files, limits) : await judgeArchive(source.file, limits);
    if (judged.files === 0 && leftOut.length > 0) {
      const content = leftOutLine(this.#words, 'wouldLeaveOut', leftOut);
      return this.#refuse(this.#words.say('nothingLeft'), content);
    }
    if (source.kind === 'folder' && source.files.length === 0) return this.#fail('empty');
    if (this.#haveProblems(judged.problems, leftOut)) return undefined;
    const packed = source.kind === 'folder' ? await this.#pack(source) : { source, archive: source.file };
    if (packed === undefined || packed.source.leftOut.length === 0) return packed;
    const rest = packed.source.kind === 'folder' ? judgeFolder(packed.source.files, limits) : judged;
    return (await askToLeaveOut(this.#words, packed.source, rest)) ? packed : this.#fail('leftOutAsked');
  }

  async #pack(source: FolderSource): Promise<Packed<FolderSource> | undefined> {
    const { worker = '' } = this.#panel.dataset;
    const total = source.files.reduce((sum, { file }) => sum + file.size, 0);
    this.#work('packing', source.name, total);
    const onProgress = (bytes: number) => this.#stage.progress(bytes, total, performance.now());
    const packed = await pack(worker, source.files, onProgress, this.#cancel.signal);
    if (packed.kind === 'unreadable') return this.#fail('unreadable', { name: packed.path });
    const { archive } = packed;
    const leftOut = [...source.leftOut, ...packed.leftOut].sort();
    if (this.#haveProblems(judgeSize(archive, this.#data.limits), leftOut)) return undefined;
    const files = source.files.filter(({ path }) => !packed.leftOut.includes(path));
    return { archive, source: { ...source, files, leftOut } };
  }

  #haveProblems(problems: readonly ScreenProblem[], leftOut: readonly string[]): boolean {
    if (problems.length === 0) return false;
    const words = this.#words;
    const content = html`${problemList(words, problems)}${leftOutLine(words, 'wouldLeaveOut', leftOut)}`;
    this.#refuse(words.say('problemsTitle'), content);
    return true;
  }

  async #send(wish: Upload, source: Source): Promise<void> {
    const { name } = source;
    this.#work('uploading', name, wish.archive.size);
    const progress = {
      sent: (bytes: number) => this.#stage.progress(bytes, wish.archive.size, performance.now()),
      arrived: () => this.#work('checking', name),
      waiting: (reason: 'broken' | 'in_progress') =>
        this.#work(reason === 'broken' ? 'waiting' : 'inProgress', name),
    };
    const outcome = await upload(wish, progress, this.#cancel.signal);
    switch (outcome.kind) {
      case 'published':
      case 'replayed':
        return await this.#succeed(outcome, source);
      case 'problems':
        this.#haveProblems(outcome.problems, []);
        return;
      case 'refused':
        this.#refuse(outcome.message);
        return;
      default:
        this.#offerRetry(outcome, wish, source);
    }
  }

  async #succeed(published: Published, source: Source): Promise<void> {
    const words = this.#words;
    const { sharedUrl, expiresAt, passwordProtected, id, remarks } = published;
    const copied = await putOnClipboard(sharedUrl);
    const said = passwordProtected ? 'publishedUntilProtected' : 'publishedUntil';
    const until = expiresAt === null ? '' : words.say(said, { moment: words.moment(instant(expiresAt)) });
    const path = `publications/${id}`;
    const content = html`<div class="url-row"><a class="url" href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a><button type="button" class="copy primary" data-copy="${sharedUrl}"><span>${words.say('copyLink')}</span></button></div>
<img class="code" src="${this.#page(`${path}/code.svg`)}" alt="${words.say('linkCode')}" width="128" height="128">
${copied ? html`<p>${words.say('linkCopied')}</p>` : undefined}
${until === '' ? undefined : html`<p>${until}</p>`}
${leftOutLine(words, 'leftOut', source.leftOut)}
${remarks.length === 0 ? undefined : html`<div class="remarks"><p>${words.say('remarks')}</p>${remarkList(words, remarks)}</div>`}`;
    this.#stage.end(
      words.say(published.kind === 'published' ? 'publishedNow' : 'publishedBefore'),
      'good',
      content,
      elementOf(html`<a class="button" href="${this.#page(path)}">${words.say('showDetails')}</a>`),
      this.#another('publishAnother'),
    );
    await refreshList();
  }

  #offerRetry(
    { kind }: Exclude<UploadOutcome, Published | { kind: 'problems' | 'refused' }>,
    wish: Upload,
    source: Source,
  ): void {
    const texts = {
      mismatch: 'mismatch',
      signed_out: 'signedOut',
      offline: 'offline',
      busy: 'failed',
      failed: 'failedForGood',
    } as const;
    const retry = button(this.#words.say('tryAgain'), 'primary', () => {
      this.#cancel = new AbortController();
      void this.#unlessCancelled(async () => {
        const token = kind === 'signed_out' ? await freshToken(this.#page('.')) : undefined;
        await this.#send({ ...wish, token: token ?? wish.token }, source);
      });
    });
    const first = kind === 'mismatch' ? undefined : retry;
    this.#stage.end(this.#words.say(texts[kind]), 'bad', undefined, first, this.#another('chooseAnother'));
  }

  #work(id: PublishingId, name: string, total?: number): void {
    this.#stage.work({ text: this.#words.say(id, { name }), name, total }, () =>
      this.#cancel.abort(CANCELLED),
    );
  }

  #fail(id: PublishingId, values: Values = {}): undefined {
    this.#refuse(this.#words.say(id, values));
  }

  #refuse(title: string, content?: Html): undefined {
    this.#stage.end(title, 'bad', content, this.#another('chooseAnother'));
  }

  #page(path: string): string {
    return new URL(path, new URL(this.#panel.dataset.action ?? '', location.href)).href;
  }

  #another(id: PublishingId): HTMLElement {
    return button(this.#words.say(id), '', () => this.#stage.close());
  }
}

/** Crypto's own UUIDs are for secure contexts only, and a key needs no more than to be new. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** A sentence about what is or would be left out; nothing when that is nothing. */
export function leftOutLine(
  words: Speech,
  message: 'leftOut' | 'wouldLeaveOut',
  names: readonly string[],
): Html | undefined {
  if (names.length === 0) return undefined;
  const more = names.length - NAMED;
  const first = names.slice(0, NAMED).join(', ');
  const all = more > 0 ? `${first} ${words.say('andMore', { count: more })}` : first;
  return html`<p class="quiet" dir="auto">${words.say(message, { names: all })}</p>`;
}

/** Shows the newest list under the panel; one that cannot be had now stays as it is. */
async function refreshList(): Promise<void> {
  const old = document.querySelector('[data-list]');
  const fresh = (await pageOf(location.href))?.querySelector('[data-list]');
  if (old === null || fresh === null || fresh === undefined) return;
  old.replaceWith(fresh);
  document.querySelector('[data-publish]')?.classList.remove('roomy');
}

async function freshToken(url: string): Promise<string | undefined> {
  const panel = (await pageOf(url))?.querySelector<HTMLElement>('[data-publish]');
  return panel === null || panel === undefined ? undefined : JSON.parse(panel.dataset.publish ?? '').token;
}

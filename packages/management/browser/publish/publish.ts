import { raceSignal } from '@pinfold/core/adapter';
import { html } from '@pinfold/http/internal/html';
import type { PublishProblem } from '@pinfold/http/internal/texts';
import { problemList } from '../../src/problem-lists.ts';
import { putOnClipboard } from '../copy.ts';
import { type Chosen, optionsOf } from '../publish-panel.ts';
import { askForBuiltSite, askForStartPage, askToLeaveOut } from './ask.ts';
import type { BrowserMessages, PublishingId } from './browser-i18n.ts';
import { type LatePublication, showCancelling, showLate } from './cancelled.ts';
import { button } from './elements.ts';
import { judgeArchive, judgeFolder, judgeSize, judgeWholeFolder, suggestsFolder } from './judge.ts';
import { pack } from './pack.ts';
import { ProgressPanel } from './progress-panel.ts';
import { leftOutLine, linkTo, protectLink, publishedContent, refreshList } from './published.ts';
import {
  type FolderSource,
  type Source,
  sourceOf,
  startPageIn,
  titleIn,
  withoutForbidden,
  withStartPage,
} from './source.ts';
import { type Published, type Upload, type UploadOutcome, upload } from './upload.ts';

/** A ZIP to upload, and its source without the files that packing left out for their content. */
interface Packed<From extends Source = Source> {
  readonly archive: Blob;
  readonly source: From;
}

const CANCELLED: unique symbol = Symbol('cancelled');

export async function publish(panel: HTMLElement, chosen: Chosen): Promise<void> {
  if (panel.hasAttribute('data-working')) return;
  await new Publishing(panel).run(chosen);
}

class Publishing {
  readonly #element: HTMLElement;
  readonly #panel: ProgressPanel;
  readonly #messages: BrowserMessages;
  #cancel: AbortController = new AbortController();
  /** The upload that was sent, and so may be published even if the person cancels. */
  #sent: Upload | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
    this.#panel = new ProgressPanel(element);
    this.#messages = this.#panel.messages;
  }

  async run(chosen: Chosen): Promise<void> {
    this.#panel.open();
    await this.#unlessCancelled(async () => {
      const inspected = await this.#inspect(chosen);
      const chosenSite = inspected && (await askForBuiltSite(this.#messages, inspected));
      if (inspected !== undefined && chosenSite === undefined) this.#panel.fail('cancelled');
      const packed = chosenSite && (await this.#archiveOf(chosenSite));
      if (packed === undefined) return;
      const { archive, source } = packed;
      const { action = '' } = this.#element.dataset;
      const filename = source.kind === 'archive' ? source.name : `${source.name || 'site'}.zip`;
      const title = await raceSignal(titleIn(source), this.#cancel.signal);
      const [password = '', name = ''] = optionsOf(this.#element).map(({ value }) => value);
      const { token } = this.#panel.data;
      // `crypto.randomUUID` is for secure contexts only.
      const key = crypto.getRandomValues(new Uint32Array(4)).join('-');
      const upload = { action, token, key, filename, title, password, name, archive };
      await this.#send(upload, source);
    });
  }

  async #unlessCancelled(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error !== CANCELLED) {
        const content = html`<p>${this.#messages.text('badFormText')}</p>`;
        this.#panel.refuse(this.#messages.text('badFormTitle'), content);
        throw error;
      }
      if (this.#sent === undefined) this.#panel.fail('cancelled');
      else await this.#confirmCancelled(this.#sent);
    }
  }

  /** Shows that nothing was published once the server has confirmed it. */
  async #confirmCancelled(sent: Upload): Promise<void> {
    const outcome = await showCancelling(this.#panel, sent);
    if (outcome?.kind === 'cancelled') this.#panel.fail('cancelled');
    else if (outcome !== undefined) await this.#showLate(outcome);
  }

  async #showLate(late: LatePublication): Promise<void> {
    await showLate(this.#panel, late, this.#sent?.name ?? '');
    await refreshList();
  }

  async #inspect(chosen: Chosen): Promise<Source | undefined> {
    const first = chosen.kind === 'entries' ? chosen.entries[0] : chosen.files[0];
    const folder = first instanceof File ? first.webkitRelativePath.split('/')[0] : undefined;
    const name = folder || (first?.name ?? '');
    this.#work('preparing', name);
    try {
      const source = await raceSignal(sourceOf(chosen), this.#cancel.signal);
      return source ?? this.#panel.fail('oneThing');
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      return this.#panel.fail('unreadable', { name });
    }
  }

  /** Makes the ZIP to upload, or shows why there is none. Asks last whether files may be left out. */
  async #archiveOf(chosen: Source): Promise<Packed | undefined> {
    const { limits } = this.#panel.data;
    const source = chosen.kind === 'folder' ? await this.#chooseStartPage(chosen) : withoutForbidden(chosen);
    const { leftOut } = source;
    const judging =
      source.kind === 'folder' ? judgeWholeFolder(source, limits) : judgeArchive(source.file, limits);
    const judged = await raceSignal(judging, this.#cancel.signal);
    if (judged.files === 0 && leftOut.length > 0 && !suggestsFolder(judged)) {
      const content = leftOutLine(this.#messages, 'wouldLeaveOut', leftOut);
      return this.#panel.refuse(this.#messages.text('nothingLeft'), content);
    }
    if (source.kind === 'folder' && source.files.length === 0 && !suggestsFolder(judged))
      return this.#panel.fail('empty');
    if (this.#showProblems(judged.problems, leftOut)) return undefined;
    const packed = source.kind === 'folder' ? await this.#pack(source) : { source, archive: source.file };
    if (packed === undefined || packed.source.leftOut.length === 0) return packed;
    const rest = packed.source.kind === 'folder' ? judgeFolder(packed.source.files, limits) : judged;
    return (await askToLeaveOut(this.#messages, packed.source, rest))
      ? packed
      : this.#panel.fail('leftOutAsked');
  }

  /** If a folder only lacks an index.html, asks whether another page may become it. */
  async #chooseStartPage(folder: FolderSource): Promise<FolderSource> {
    const judging = judgeWholeFolder(folder, this.#panel.data.limits);
    const { problems } = await raceSignal(judging, this.#cancel.signal);
    const page = startPageIn(problems);
    if (page === undefined) return folder;
    return (await askForStartPage(this.#messages, page)) ? withStartPage(folder, page) : folder;
  }

  async #pack(source: FolderSource): Promise<Packed<FolderSource> | undefined> {
    const { worker = '' } = this.#element.dataset;
    const total = source.files.reduce((sum, { file }) => sum + file.size, 0);
    this.#work('packing', source.name, total);
    const onProgress = (bytes: number) => this.#panel.progress(bytes, total, performance.now());
    const packed = await pack(worker, source.files, onProgress, this.#cancel.signal);
    if (packed.kind === 'unreadable') return this.#panel.fail('unreadable', { name: packed.path });
    const { archive } = packed;
    const leftOut = [...source.leftOut, ...packed.leftOut].sort();
    if (this.#showProblems(judgeSize(archive, this.#panel.data.limits), leftOut)) return undefined;
    const files = source.files.filter(({ path }) => !packed.leftOut.includes(path));
    return { archive, source: { ...source, files, leftOut } };
  }

  #showProblems(problems: readonly PublishProblem[], leftOut: readonly string[]): boolean {
    if (problems.length === 0) return false;
    const messages = this.#messages;
    const content = html`${problemList(messages, problems)}${leftOutLine(messages, 'wouldLeaveOut', leftOut)}`;
    this.#panel.refuse(messages.text('problemsTitle'), content);
    return true;
  }

  async #send(content: Upload, source: Source): Promise<void> {
    const { name } = source;
    const { size } = content.archive;
    let step: PublishingId | undefined;
    const work = (id: PublishingId, total?: number): void => {
      step = id;
      this.#work(id, name, total);
    };
    const progress = {
      sent: (bytes: number) => {
        if (step === 'waiting') work('uploading', size);
        this.#panel.progress(bytes, size, performance.now());
      },
      arrived: () => work('checking'),
      waiting: (reason: 'broken' | 'in_progress') => work(reason === 'broken' ? 'waiting' : 'inProgress'),
    };
    work('uploading', size);
    this.#sent = content;
    const outcome = await upload(content, progress, this.#cancel.signal);
    switch (outcome.kind) {
      case 'published':
      case 'replayed':
        return await this.#succeed(outcome, source);
      case 'problems':
        this.#showProblems(outcome.problems, []);
        return;
      case 'refused':
        this.#panel.refuse(outcome.message);
        return;
      default:
        this.#offerRetry(outcome, content, source);
    }
  }

  async #succeed(published: Published, source: Source): Promise<void> {
    const messages = this.#messages;
    this.#panel.emptyOptions();
    const copied = await putOnClipboard(published.name?.url ?? published.sharedUrl);
    if (this.#cancel.signal.aborted)
      return this.#showLate({ ...published, kind: 'published', state: 'published' });
    const page = this.#panel.page(`publications/${published.id}`);
    this.#panel.end(
      messages.text(published.kind === 'published' ? 'publishedNow' : 'publishedBefore'),
      'good',
      publishedContent(messages, published, page, { copied, source }),
      linkTo(page, messages.text('showDetails')),
      protectLink(messages, page, published),
      this.#panel.closeButton('publishAnother'),
    );
    await refreshList();
  }

  #offerRetry(
    { kind, message, ...values }: Exclude<UploadOutcome, Published | { kind: 'problems' | 'refused' }>,
    content: Upload,
    source: Source,
  ): void {
    const texts = {
      mismatch: 'idempotency_mismatch_form',
      signed_out: 'signedOut',
      offline: 'offline',
      busy: 'unavailable',
      strange: 'strangeAnswer',
    } as const;
    const retry = button(this.#messages.text('tryAgain'), 'primary', () => {
      this.#cancel = new AbortController();
      void this.#unlessCancelled(async () => {
        const token = kind === 'signed_out' ? await this.#panel.freshToken() : undefined;
        await this.#send({ ...content, token: token ?? content.token }, source);
      });
    });
    const first = kind === 'mismatch' ? undefined : retry;
    this.#panel.end(
      message ?? this.#messages.text(texts[kind], values),
      'bad',
      undefined,
      first,
      this.#panel.closeButton('chooseAnother'),
    );
  }

  #work(id: PublishingId, name: string, total?: number): void {
    this.#panel.work(id, name, total, () => this.#cancel.abort(CANCELLED));
  }
}

import type { BrowserMessages } from './browser-i18n.ts';
import { confirmCancelled, type LatePublication } from './cancelled.ts';
import type { ProgressPanel } from './progress-panel.ts';
import { lateContent, linkTo, stopForm } from './published.ts';
import type { Upload } from './upload.ts';

/** The parts of the screen that show how a cancelled upload ended. */
export interface CancelPanel {
  readonly messages: BrowserMessages;
  readonly stage: ProgressPanel;
  /** The token of forms when the page was loaded. */
  readonly token: string;
  /** The address of a page of the screen. */
  page(path: string): string;
  /** The token of forms as it is now; `undefined` while the account is not signed in. */
  freshToken(): Promise<string | undefined>;
  /** A button that closes the stage, and does something first. */
  another(id: 'chooseAnother' | 'publishAnother', first?: () => void): HTMLElement;
}

const UNCONFIRMED = {
  running: 'cancelRunning',
  signed_out: 'cancelSignedOut',
  unreachable: 'cancelUnreachable',
} as const;

/** Asks the server until it has confirmed what became of the upload; `undefined` when the person asks no further. */
export async function showCancelling(
  { messages, stage, page, freshToken, another }: CancelPanel,
  { key, token }: Upload,
): Promise<Awaited<ReturnType<typeof confirmCancelled>> | undefined> {
  const leave = new AbortController();
  stage.wait(messages.text('cancelling'));
  const onUnconfirmed = (why: keyof typeof UNCONFIRMED) =>
    stage.wait(
      messages.text(UNCONFIRMED[why]),
      another('chooseAnother', () => leave.abort()),
    );
  try {
    const question = { url: page('publish/cancel'), key, token, freshToken, onUnconfirmed };
    return await confirmCancelled(question, leave.signal);
  } catch (error) {
    if (error !== leave.signal.reason) throw error;
    return undefined;
  }
}

/** Shows what was published before it was cancelled, with a button that stops it. */
export async function showLate(
  { messages, stage, token, page, freshToken, another }: CancelPanel,
  late: LatePublication,
  name: string,
): Promise<void> {
  const address = page(`publications/${late.id}`);
  const details = linkTo(address, messages.text('showDetails'));
  if (late.state !== 'published') {
    stage.end(messages.text('cancelledStopped'), 'bad', undefined, details, another('publishAnother'));
    return;
  }
  const stop = stopForm(messages, address, (await freshToken()) ?? token);
  const content = lateContent(messages, late, name);
  stage.end(messages.text('cancelledLate'), 'bad', content, stop, details, another('publishAnother'));
}

import type { AccountId } from '../domain/identity.ts';
import type { SessionScope } from '../domain/session.ts';

/** A person whom an identity provider vouches for. */
export interface Person {
  readonly account: AccountId;
  /** The provider's own id for them, which never changes and which the history records. */
  readonly id: string;
  /** Their name on the screen. Only their session stores it. */
  readonly displayName: string | null;
  readonly scope: SessionScope;
}

/** Why a sign-in by a provider failed. */
export type SignInProblem =
  /** The provider cannot be reached, or fails. */
  | 'unreachable'
  /** The browser returned without its state, too late, or with that of another sign-in. */
  | 'forgotten'
  /** The person or the provider declined. */
  | 'declined'
  /** The provider's code was used or is too old. */
  | 'late'
  /** The provider's answer is not authentic. */
  | 'untrusted'
  /** The clocks of the provider and the service differ too much. */
  | 'clock'
  /** The provider does not know this service with these settings. */
  | 'misconfigured'
  /** The provider's answer has no name for an account. */
  | 'nameless'
  /** The provider knows the person, who may not sign in here. */
  | 'not_allowed'
  /** Too many people return at once; the sign-in may be repeated. */
  | 'busy';

/** The sign-in failed. */
export interface SignInFailure {
  readonly kind: 'failed';
  readonly problem: SignInProblem;
  /** One line for the operator, without secrets. */
  readonly detail?: string;
  /** The person who may not sign in here. */
  readonly person?: Person;
}

/** The URL to send a browser to, and the state that it stores until it is back. */
export interface BegunSignIn {
  readonly kind: 'begun';
  readonly url: string;
  /** Signed, of URL-safe characters and dots; valid for a few minutes and one sign-in. */
  readonly browserState: string;
}

/** The request with which a browser comes back. */
export interface SignInReturn {
  /** Groups requests of one client, so that clients take turns: its IPv4 address or IPv6 /64 network. */
  readonly client: string;
  /** Aborts when the client disconnects. The provider then cancels its own requests. */
  readonly signal: AbortSignal;
}

/**
 * Identifies people by a sign-in elsewhere: their browser goes there and returns. Any failure there is a
 * {@link SignInFailure}.
 */
export interface IdentityProvider {
  readonly name: string;

  begin(returnUrl: string): Promise<BegunSignIn | SignInFailure>;

  /**
   * Ends a sign-in.
   *
   * @param returnedUrl the URL to which the browser returned, with all its parameters.
   * @param browserState the state that the browser stored, if any.
   * @throws the signal's reason when that aborts.
   */
  finish(
    returnedUrl: string,
    browserState: string | undefined,
    from: SignInReturn,
  ): Promise<{ readonly kind: 'recognized'; readonly person: Person } | SignInFailure>;

  /** The provider's sign-out page, if it has one and answers. */
  signOutUrl(): Promise<string | undefined>;
}

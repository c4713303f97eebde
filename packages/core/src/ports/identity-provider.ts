import type { AccountId } from '../domain/identity.ts';
import type { SessionScope } from '../domain/session.ts';

/** A person whom an identity provider vouches for. */
export interface Person {
  readonly account: AccountId;
  /** The provider's own name for them, which never changes: the history keeps it. */
  readonly id: string;
  /** What the screen calls them; their session alone keeps it. */
  readonly displayName: string | null;
  readonly scope: SessionScope;
}

/** Why a sign-in by a provider failed. */
export type SignInProblem =
  /** It cannot be reached, or is out of order. */
  | 'unreachable'
  /** The browser did not bring back what it was given, or too late, or that of another sign-in. */
  | 'forgotten'
  /** The person, or the provider, said no. */
  | 'declined'
  /** What it gave the browser was used, or is too old. */
  | 'late'
  /** What it says cannot be believed. */
  | 'untrusted'
  /** Its clock and ours are too far apart. */
  | 'clock'
  /** It does not know this service, or not as it is set up. */
  | 'misconfigured'
  /** It says nothing that could name an account. */
  | 'nameless'
  /** It knows the person, who may not sign in here. */
  | 'not_allowed'
  /** Too many people are coming back from it at once; the same attempt may be repeated. */
  | 'busy';

/** The sign-in failed. */
export interface SignInTrouble {
  readonly kind: 'trouble';
  readonly problem: SignInProblem;
  /** In one line for the operator, without anything secret. */
  readonly detail?: string;
  /** Who may not sign in here. */
  readonly person?: Person;
}

/** Where to send a browser, and what it is to keep until it is back. */
export interface BegunSignIn {
  readonly kind: 'begun';
  readonly url: string;
  /** Signed, of URL-safe characters and dots, good for a few minutes and one sign-in. */
  readonly kept: string;
}

/** The request with which a browser comes back. */
export interface SignInReturn {
  /** Groups requests of one client, so that clients take turns: its IPv4 address or IPv6 /64 network. */
  readonly client: string;
  /** Aborts when the client disconnects. The provider then cancels its own requests. */
  readonly signal: AbortSignal;
}

/**
 * Recognises people by a sign-in elsewhere, to which their browser is sent and from which it comes back. Any failure
 * there is a {@link SignInTrouble}.
 */
export interface IdentityProvider {
  /** What people know it by. */
  readonly name: string;

  /** Begins a sign-in that ends at `returnUrl`. */
  begin(returnUrl: string): Promise<BegunSignIn | SignInTrouble>;

  /**
   * Ends a sign-in.
   *
   * @param cameBack the address that the browser came back to, with all the parameters that it brought.
   * @param kept the state that the browser stored, if it did.
   * @throws the signal's reason when that aborts.
   */
  finish(
    cameBack: string,
    kept: string | undefined,
    from: SignInReturn,
  ): Promise<{ readonly kind: 'recognised'; readonly person: Person } | SignInTrouble>;

  /** Where people sign out of the provider itself, if there is such a page and it can be found now. */
  signOutUrl(): Promise<string | undefined>;
}

import type { AccountId, Instant } from '@pinfold/core';
import type { Request, Response } from 'express';
import type { AssetNames } from './assets.ts';
import type { MessageId } from './messages/catalogues.ts';
import type { Said } from './said.ts';
import type { Words } from './words.ts';

/** What every page needs to know of the request it answers. */
export interface Visit {
  readonly request: Request;
  readonly response: Response;
  /** The path under which the screen is reached, without a slash at its end. */
  readonly base: string;
  readonly words: Words<MessageId>;
  readonly now: Instant;
  readonly assets: AssetNames;
  /** Scripts run only with it. */
  readonly nonce: string;
  /** Binds what is sealed and signed to this browser. */
  readonly secret: string;
  /** Whether the browser showed several such secrets, so that none of its cookies is to be believed. */
  readonly isMixed: boolean;
  /** What was just done, told once. */
  readonly said: Said | undefined;
  /** Ends when the client has gone. */
  readonly signal: AbortSignal;
}

/** A visit by somebody who is signed in. */
export interface SignedInVisit extends Visit {
  readonly account: AccountId;
  /** What every form must carry. */
  readonly formToken: string;
  /** Whether the session is ours to end, and there are keys to manage. */
  readonly offers: { readonly signOut: boolean; readonly keys: boolean };
}

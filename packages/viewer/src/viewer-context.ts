import type { UseCases } from '@pinfold/core';
import type { Bodies, BodyTools } from './bodies.ts';
import type { Grants } from './grants.ts';
import type { FilePolicy } from './site-files.ts';
import type { Sites } from './sites.ts';
import type { Settings } from './viewer-options.ts';

/** What every part of one viewer works with. */
export interface ViewerContext {
  readonly settings: Settings;
  readonly useCases: UseCases;
  readonly grants: Grants;
  readonly sites: Sites;
  readonly bodies: Bodies;
  readonly tools: BodyTools;
  readonly policies: FilePolicies;
}

/** The headers of files, by whether a password protects the role. */
export interface FilePolicies {
  readonly open: FilePolicy;
  readonly protected: FilePolicy;
}

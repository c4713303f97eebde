import type { ViewCounter } from '@pinfold/core/views';
import type { Access } from './access/access.ts';
import type { Grants } from './access/grants.ts';
import type { Bodies, BodyTools } from './sending/bodies.ts';
import type { FilePolicies } from './sending/file-policies.ts';
import type { Sites } from './sending/sites.ts';
import type { Settings, ViewerUseCases } from './viewer-options.ts';

export interface ViewerContext {
  readonly settings: Settings;
  readonly useCases: ViewerUseCases;
  readonly access: Access;
  readonly grants: Grants;
  readonly sites: Sites;
  readonly bodies: Bodies;
  readonly tools: BodyTools;
  readonly policies: FilePolicies;
  readonly counter: ViewCounter | undefined;
}

export type { CreateGrant, GrantUrlOutcome, OpenArchive, RequestEntry, RequestLog } from '@pinfold/http';
export type { MayView, ViewerAccess, ViewerId } from './access/access.ts';
export { createViewer, type Viewer } from './create-viewer.ts';
export { type UnreadHeadPage, unreadHeadPage } from './pages/answers.ts';
export type {
  CacheStatistics,
  ViewerBounds,
  ViewerMode,
  ViewerOptions,
  ViewerStatistics,
  ViewerUseCases,
} from './viewer-options.ts';

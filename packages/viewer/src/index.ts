export type { CreateGrant, GrantUrlOutcome, OpenArchive, RequestEntry, RequestLog } from '@pinfold/http';
export type { MayView, ViewerAccess, ViewerId } from './access/access.ts';
export { createViewer, type Viewer } from './create-viewer.ts';
export { type UnreadHeadPage, unreadHeadPage } from './pages/answers.ts';
export type {
  CacheFigures,
  ViewerBounds,
  ViewerFigures,
  ViewerMode,
  ViewerOptions,
  ViewerUseCases,
} from './viewer-options.ts';

export { createViewer, type Viewer } from './create-viewer.ts';
export { type UnreadHeadPage, unreadHeadPage } from './unread-head.ts';
export type {
  ViewerBounds,
  ViewerLogEntry,
  ViewerMode,
  ViewerOptions,
  ViewerRoute,
} from './viewer-options.ts';

export { createViewer, type Viewer } from './create-viewer.ts';
export type { ViewerLogEntry, ViewerMode, ViewerOptions, ViewerRoute } from './viewer-options.ts';

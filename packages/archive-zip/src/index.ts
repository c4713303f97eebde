export { ZipArchiveInspector, type ZipArchiveInspectorOptions } from './zip-archive-inspector.ts';

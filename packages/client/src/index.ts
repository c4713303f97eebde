export type { FileToPack, PackedFiles, PackOptions } from './zip.ts';

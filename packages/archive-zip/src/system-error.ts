/** Whether the operating system refused something, rather than code of ours being wrong. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

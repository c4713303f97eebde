/** What a person chose or dropped, before it is looked at. */
export type Chosen =
  | { readonly kind: 'archive' | 'files'; readonly files: readonly File[] }
  | { readonly kind: 'entries'; readonly entries: readonly FileSystemEntry[] };

/** The module that is loaded when there is something to publish. */
export interface PublishModule {
  publish(panel: HTMLElement, chosen: Chosen): Promise<void>;
}

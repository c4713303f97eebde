/** Nothing is inlined, as if the files were larger. */
export default { build: { inlineStylesheets: 'never' }, vite: { build: { assetsInlineLimit: 0 } } };

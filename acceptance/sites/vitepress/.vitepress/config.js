export default { title: 'Tides', vite: { build: { assetsInlineLimit: 0 } } };

/** Paths that begin with a slash, as in Eleventy's own examples, or relative ones. */
export default function configure(config) {
  const root = process.env.LINKS === 'relative' ? './' : '/';
  config.addGlobalData('root', root);
  config.addPassthroughCopy('common');
  config.ignores.add('node_modules');
}

import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';

const fallback = process.env.VITE_PATHS === 'relative' ? undefined : '200.html';

export default { plugins: [sveltekit({ adapter: adapter({ pages: 'dist', fallback }) })] };

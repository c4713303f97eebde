import DefaultTheme from 'vitepress/theme';
import '../../common/style.css';

export default DefaultTheme;

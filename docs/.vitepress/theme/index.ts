import DefaultTheme from 'vitepress/theme';
import './style.css';

// biome-ignore lint/style/noDefaultExport: VitePress reads it
export default DefaultTheme;

import { fileURLToPath } from 'node:url';

/**
 * The file that starts the command line, for a process that restarts itself. In the built package
 * this code is in `dist/operator/chunks/`.
 */
export const LAUNCHER: string = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './chancery.js' : '../../../operator/cli/chancery.js',
    import.meta.url,
  ),
);

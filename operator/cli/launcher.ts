import { fileURLToPath } from 'node:url';

/**
 * The file with which the command `chancery` starts, for a process that starts itself again. In the
 * built package, the present module is in `dist/operator/chunks/`.
 */
export const LAUNCHER: string = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './chancery.js' : '../../../operator/cli/chancery.js',
    import.meta.url,
  ),
);

/** Version of the package, for `--version` and the user agent. A test compares it with package.json. */
export const VERSION: string = '0.1.0';

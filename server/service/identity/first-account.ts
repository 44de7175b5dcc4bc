/** The account that is created on the first start. The file has no imports, because commands use it without a database driver. */
export const FIRST_ACCOUNT = 'main';

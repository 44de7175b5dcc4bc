/** The account that exists from the first start. In a file of its own: the commands name it where no database driver is installed. */
export const FIRST_ACCOUNT = 'main';

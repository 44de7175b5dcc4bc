/** Whether this browser leaves out tests that run once. test/web.config.mjs says so in the page. */
const isLeftOut = document.documentElement.hasAttribute('data-engine-tests-only');

/**
 * Declares a test whose result does not depend on the engine. In a file that runs in every browser, Firefox and WebKit leave it out, except
 * in `npm run test:matrix`.
 */
export const itOnce: Mocha.TestFunction = isLeftOut ? (it.skip as Mocha.TestFunction) : it;

const { message, origin } = document.querySelector('#message').dataset;
if (window.opener) {
  window.opener.postMessage(message, origin);
  window.close();
}

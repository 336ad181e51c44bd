<?php
// The page, under a strict policy. Its token is that of the session.

declare(strict_types=1);

require __DIR__ . '/session.php';

$orders = [
    ['id' => 'A-17', 'euros' => 40],
    ['id' => 'B-4', 'euros' => 120],
    // Markup, unless it is escaped.
    ['id' => '"><b>&quot;', 'euros' => 60],
];
$hash = base64_encode(hash_file('sha384', $_SERVER['DOCUMENT_ROOT'] . '/assistant/element.js', true));
$token = session_token();

/** Escapes a text for an attribute or for content. */
function e(string|int $text): string
{
    return htmlspecialchars((string) $text);
}

header("Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    . "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
?>
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="csrf-token" content="<?= e($token) ?>" />
    <title>Orders</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/assistant/style.css" />
    <link rel="stylesheet" href="/page.css" />
    <script type="module" src="/assistant/element.js" integrity="sha384-<?= e($hash) ?>"></script>
    <script type="module" src="/page.js"></script>
  </head>
  <body>
    <div class="page">
      <main>
        <h1>Orders</h1>
        <ul id="orders">
<?php foreach ($orders as $index => ['id' => $id, 'euros' => $euros]): ?>
          <li data-order="<?= e($id) ?>" data-euros="<?= e($euros) ?>"><button type="button" aria-pressed="<?= $index === 0 ? 'true' : 'false' ?>"><?= e($id) ?></button> <?= e($euros) ?> €, refunded: <output>0</output> €</li>
<?php endforeach ?>
        </ul>
        <p>Budget: <output id="budget">none</output> <button type="button" id="raise" disabled>Set to 500</button></p>
        <button type="button" id="toggle">Remove the chat</button>
      </main>
      <leptos-assistant class="chat" url="/agent.php" label="Shop" store="indexeddb" greeting="Which order is it about?"></leptos-assistant>
    </div>
  </body>
</html>

<?php
// Routes for PHP's own web server, whose root contains the static files: `php -S 127.0.0.1:8080 -t FILES router.php`.

declare(strict_types=1);

switch (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case '/':
        require __DIR__ . '/index.php';
        break;
    case '/agent.php':
        require __DIR__ . '/agent.php';
        break;
    default:
        return false;
}

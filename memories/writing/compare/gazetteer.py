"""Named values that exclude each other within a class, in English and Chinese.

``class: value value=alias``; an indented line goes on; an underscore is a space. Two values of one
class in the same slot are alternatives ("runs on AWS" / "runs on Azure"); values of different
classes can live side by side.
"""

SOFTWARE = """
database: postgresql=postgres=psql=pgsql mysql mariadb sqlite oracle sqlserver=sql_server=mssql
  mongodb=mongo cassandra dynamodb cockroachdb=cockroach couchdb couchbase firestore clickhouse
  snowflake bigquery redshift tidb oceanbase 达梦=dameng neo4j db2 duckdb yugabytedb spanner aurora
  scylladb timescaledb influxdb hbase
cache: redis memcached=memcache valkey hazelcast varnish dragonfly
queue: kafka rabbitmq activemq pulsar nats rocketmq sqs zeromq celery sidekiq
cloud: aws=amazon_web_services=亚马逊云 azure gcp=google_cloud aliyun=阿里云=alibaba_cloud
  tencent_cloud=腾讯云 huawei_cloud=华为云 hetzner digitalocean linode ovh heroku vercel netlify
  fly.io cloudflare
search: elasticsearch=elastic opensearch solr meilisearch typesense algolia splunk loki graylog
  datadog
vector: pgvector milvus qdrant weaviate pinecone faiss chroma chromadb lancedb
frontend: react vue angular svelte solidjs ember jquery preact next.js=nextjs nuxt remix htmx astro
mobile: flutter react_native swiftui ionic xamarin kotlin_multiplatform jetpack_compose
backend: django flask fastapi rails=ruby_on_rails spring=spring_boot express nestjs laravel gin
  phoenix asp.net koa actix axum
language: python java javascript=js typescript=ts golang=go_language rust ruby php kotlin swift
  scala haskell elixir erlang clojure perl lua c++ c# dart julia fortran cobol
vcs: git svn=subversion mercurial perforce
forge: github gitlab bitbucket gitea gitee codeberg azure_devops
ci: jenkins github_actions gitlab_ci circleci travis travis_ci teamcity bamboo buildkite drone
  argo_cd=argocd tekton
container: docker podman containerd lxc
orchestrator: kubernetes=k8s nomad docker_swarm=swarm mesos ecs openshift k3s docker_compose
iac: terraform pulumi ansible cloudformation chef puppet saltstack opentofu
package: npm pnpm yarn bun pip poetry uv conda pipenv maven gradle cargo bazel sbt
bundler: webpack vite rollup esbuild parcel turbopack
test: pytest unittest jest vitest mocha cypress playwright selenium junit testng
tracker: jira linear trello asana youtrack redmine clickup 禅道=zentao notion_board tapd monday.com
chat: slack teams=microsoft_teams discord mattermost 钉钉=dingtalk 飞书=feishu=lark 企业微信=wecom
  telegram whatsapp signal rocket.chat 微信=wechat
meeting: zoom google_meet webex 腾讯会议=tencent_meeting skype
wiki: confluence notion sharepoint obsidian 语雀=yuque
editor: vscode=vs_code=visual_studio_code vim=vi neovim emacs pycharm intellij=intellij_idea
  sublime=sublime_text eclipse cursor nano zed webstorm
shell: bash zsh fish_shell powershell
os: linux windows macos=mac_os ubuntu debian centos fedora alpine arch_linux rhel freebsd
  rocky_linux nixos
phone: iphone android 安卓=android_phone
browser: chrome firefox safari edge opera brave
proxy: nginx apache caddy traefik haproxy envoy
monitor: prometheus zabbix nagios new_relic grafana dynatrace cloudwatch sentry
auth: oauth=oauth2 saml ldap basic_auth jwt kerberos mtls openid=oidc passkeys api_key
identity: okta auth0 keycloak cognito entra
protocol: rest graphql grpc soap websocket mqtt http https tcp udp
format: json xml yaml=yml toml csv protobuf parquet avro excel=xlsx svg png jpeg=jpg ini markdown
  html pdf docx
payment: stripe adyen paypal braintree 支付宝=alipay 微信支付=wechat_pay 银联=unionpay square
  apple_pay klarna mollie worldpay
storage: s3 minio gcs oss ceph hdfs nfs
orm: sqlalchemy hibernate prisma typeorm sequelize
css: tailwind=tailwindcss bootstrap material_ui ant_design bulma chakra
lint: ruff flake8 pylint eslint biome prettier
ml: pytorch tensorflow jax keras mxnet paddlepaddle=飞桨
model: gpt-4 gpt-4o gpt-5 claude gemini llama qwen=通义千问 deepseek mistral 文心一言 kimi
encryption: aes-256 aes-128 chacha20 rsa des 3des sm4
hash: md5 sha-1=sha1 sha-256=sha256 sha-512 bcrypt argon2 scrypt
branch: master main develop trunk
encoding: utf-8 utf-16 gbk latin-1 ascii gb18030
timezone: utc gmt cet est pst jst 北京时间 local_time=本地时间
indent: tabs=tab=制表符 spaces=space=空格
design: figma sketch adobe_xd
license: mit_license gpl agpl apache_license bsd_license
crm: salesforce hubspot zoho
music: spotify apple_music youtube_music 网易云音乐 qq音乐
"""

WORLD = """
place: beijing=北京 shanghai=上海 shenzhen=深圳 guangzhou=广州 hangzhou=杭州 chengdu=成都
  wuhan=武汉 xian=西安 nanjing=南京 suzhou=苏州 tianjin=天津 chongqing=重庆 changsha=长沙
  xiamen=厦门 qingdao=青岛 dalian=大连 shenyang=沈阳 harbin=哈尔滨 jinan=济南 zhengzhou=郑州
  kunming=昆明 guiyang=贵阳 hefei=合肥 fuzhou=福州 ningbo=宁波 wuxi=无锡 zhuhai=珠海 dongguan=东莞
  foshan=佛山 sanya=三亚 haikou=海口 lhasa=拉萨 urumqi=乌鲁木齐 hongkong=hong_kong=香港 macau=澳门
  taipei=台北 nanchang=南昌 taiyuan=太原 lanzhou=兰州 changchun=长春 shijiazhuang=石家庄
  nanning=南宁 hohhot=呼和浩特 张家口 雄安 内蒙古=inner_mongolia 广东=guangdong 浙江=zhejiang
  江苏=jiangsu 四川=sichuan 云南=yunnan 湖南=hunan 湖北=hubei 河南=henan 河北=hebei 山东=shandong
  山西=shanxi 陕西=shaanxi 福建=fujian 安徽=anhui 江西=jiangxi 广西=guangxi 贵州=guizhou 甘肃=gansu
  辽宁=liaoning 吉林=jilin 黑龙江=heilongjiang 海南=hainan 西藏=tibet 新疆=xinjiang 宁夏=ningxia
  青海=qinghai
tokyo=东京 osaka=大阪 kyoto=京都 nagoya=名古屋 yokohama=横滨 sapporo=札幌 fukuoka=福冈 seoul=首尔
  busan=釜山 singapore=新加坡 bangkok=曼谷 hanoi=河内 jakarta=雅加达 manila=马尼拉
  kuala_lumpur=吉隆坡 mumbai=孟买 delhi=new_delhi=德里=新德里 bangalore=bengaluru=班加罗尔
  dubai=迪拜 istanbul=伊斯坦布尔 tel_aviv=特拉维夫
london=伦敦 paris=巴黎 berlin=柏林 munich=慕尼黑 hamburg=汉堡 frankfurt=法兰克福 cologne=科隆
  stuttgart vienna=维也纳 zurich=苏黎世 geneva=日内瓦 bern=伯尔尼 basel=巴塞尔 amsterdam=阿姆斯特丹
  rotterdam=鹿特丹 brussels=布鲁塞尔 dublin=都柏林 edinburgh=爱丁堡 manchester=曼彻斯特
  madrid=马德里 barcelona=巴塞罗那 valencia=瓦伦西亚 seville=塞维利亚 lisbon=里斯本 porto=波尔图
  rome=罗马 milan=米兰 turin=都灵 naples=那不勒斯 florence=佛罗伦萨 venice=威尼斯 athens=雅典
  prague=布拉格 warsaw=华沙 krakow=克拉科夫 budapest=布达佩斯 bucharest=布加勒斯特
  sofia_city=索非亚 stockholm=斯德哥尔摩 gothenburg=哥德堡 oslo=奥斯陆 copenhagen=哥本哈根
  helsinki=赫尔辛基 reykjavik=雷克雅未克 moscow=莫斯科 kyiv=kiev=基辅 lyon=里昂 marseille=马赛
  toulouse nice_city antwerp leipzig=莱比锡 dresden=德累斯顿
new_york=nyc=纽约 los_angeles=洛杉矶 san_francisco=旧金山 seattle=西雅图 boston=波士顿
  chicago=芝加哥 houston=休斯顿 austin=奥斯汀 dallas=达拉斯 denver=丹佛 miami=迈阿密
  atlanta=亚特兰大 philadelphia=费城 portland=波特兰 san_diego=圣地亚哥 las_vegas=拉斯维加斯
  washington=华盛顿 phoenix_city toronto=多伦多 vancouver=温哥华 montreal=蒙特利尔 ottawa=渥太华
  mexico_city=墨西哥城 lima=利马 bogota=波哥大 santiago buenos_aires=布宜诺斯艾利斯
  sao_paulo=圣保罗 rio_de_janeiro=里约热内卢 cairo=开罗 nairobi=内罗毕 lagos=拉各斯
  cape_town=开普敦 johannesburg=约翰内斯堡 casablanca=卡萨布兰卡 sydney=悉尼 melbourne=墨尔本
  brisbane=布里斯班 perth=珀斯 auckland=奥克兰 wellington=惠灵顿
china=中国 japan=日本 korea=south_korea=韩国 india=印度 usa=us=united_states=america=美国
  canada=加拿大 mexico=墨西哥 brazil=巴西 uk=united_kingdom=britain=英国 england=英格兰
  scotland=苏格兰 ireland=爱尔兰 france=法国 germany=德国 austria=奥地利 switzerland=瑞士
  italy=意大利 spain=西班牙 portugal=葡萄牙 netherlands=荷兰 belgium=比利时 sweden=瑞典 norway=挪威
  denmark=丹麦 finland=芬兰 poland=波兰 russia=俄罗斯 turkey=土耳其 greece=希腊 australia=澳大利亚
  new_zealand=新西兰 thailand=泰国 vietnam=越南 indonesia=印度尼西亚 malaysia=马来西亚
  philippines=菲律宾 egypt=埃及 south_africa=南非 argentina=阿根廷 taiwan=台湾 europe=欧洲
  asia=亚洲 africa=非洲
california=加州 texas=德州 florida=佛罗里达 oregon=俄勒冈 ohio=俄亥俄 virginia=弗吉尼亚 iowa=爱荷华
  nevada arizona colorado massachusetts illinois georgia_state bavaria=巴伐利亚 us-east-1 us-east-2
  us-west-1 us-west-2 eu-west-1 eu-central-1 ap-southeast-1
tongue: english=英语=英文 chinese=mandarin=中文=汉语=普通话 german=德语=德文 french=法语=法文
  spanish=西班牙语=西班牙文 italian=意大利语 portuguese=葡萄牙语 japanese=日语=日文
  korean=韩语=韩文 russian=俄语=俄文 arabic=阿拉伯语 cantonese=粤语=广东话 dutch=荷兰语
  turkish=土耳其语 hindi=印地语 swedish=瑞典语 polish=波兰语 thai=泰语 vietnamese=越南语
  traditional_chinese=繁体中文=繁体 simplified_chinese=简体中文=简体
colour: red=红色=红 green=绿色=绿 blue=蓝色=蓝 yellow=黄色=黄 black=黑色=黑 white=白色=白
  purple=violet=紫色=紫 orange=橙色 pink=粉色=粉红色 brown=棕色=褐色 grey=gray=灰色=灰 beige=米色
  navy=藏青色 teal=青色 turquoise gold=金色 silver=银色
job: nurse=护士 teacher=老师=教师 doctor=physician=医生=大夫 dentist=牙医 lawyer=律师
  engineer=工程师 software_engineer=软件工程师 programmer=程序员 accountant=会计
  architect=建筑师=架构师 designer=设计师 journalist=记者 chef=cook=厨师 pilot=飞行员 driver=司机
  farmer=农民 electrician=电工 plumber=水管工 carpenter=木匠 musician=音乐家 painter=画家
  actor=演员 translator=翻译 professor=教授 researcher=研究员 scientist=科学家 student=学生
  librarian=图书管理员 police_officer=警察 firefighter=消防员 pharmacist=药剂师 salesperson=销售
  product_manager=产品经理 project_manager=项目经理 data_scientist=数据科学家
  data_analyst=数据分析师 consultant=顾问 freelancer=自由职业者 barista=咖啡师 director=总监
  senior_director=高级总监 ceo=首席执行官 cto=首席技术官 intern=实习生 analyst=分析师
  therapist=治疗师 veterinarian=兽医
currency: eur=euro=euros=欧元 usd=dollar=dollars=美元 gbp=英镑 cny=rmb=人民币 jpy=yen=日元 hkd=港币
  chf=瑞士法郎
drink: coffee=咖啡 tea=茶 green_tea=绿茶 black_tea=红茶 beer=啤酒 wine=葡萄酒 milk=牛奶 juice=果汁
  water=水 cola=可乐 oat_milk=燕麦奶
contact: email=e-mail=邮件=电子邮件=邮箱 sms=text_message=短信
  phone_call=phone_calls=phone=telephone=电话=打电话 post=mail=邮寄 voice_message=语音
  video_call=视频通话 push_notification=推送通知
transport: car=汽车=开车 bus=公交=公交车=巴士 train=火车=高铁 bicycle=bike=自行车=骑车
  subway=metro=地铁 plane=flight=飞机=航班 taxi=出租车 tram=电车 motorcycle=摩托车 scooter
  ferry=轮渡
pet: cat=猫 dog=狗 rabbit=兔子 parrot=鹦鹉 hamster=仓鼠 goldfish=金鱼
size: small_size=小号 medium_size=中号 large_size=大号 xl xxl
blood: a型 b型 ab型 o型
frequency: hourly=every_hour=每小时
  daily=every_day=each_day=nightly=every_night=every_morning=every_evening=每天=每日=每晚=天天
  weekly=every_week=each_week=每周=每星期 biweekly=fortnightly=every_two_weeks=双周
  monthly=every_month=each_month=每月=每个月
  quarterly=every_quarter=each_quarter=once_per_quarter=每季度=每个季度
  yearly=annually=annual=every_year=each_year=每年 every_sprint=each_sprint=每个迭代
season: spring_season=春天=春季 summer=夏天=夏季 autumn=fall_season=秋天=秋季 winter=冬天=冬季
religion: buddhist=佛教徒 christian=基督徒 muslim=穆斯林 catholic=天主教徒 atheist=无神论者
diet: vegetarian_diet=vegetarian=素食=吃素=素食者 vegan=纯素 pescatarian=鱼素 keto=生酮
  omnivore=杂食
kin: mother=mom=妈妈=母亲 father=dad=爸爸=父亲 brother=哥哥=弟弟=兄弟 sister=姐姐=妹妹=姐妹
  son=儿子 daughter=女儿 wife=妻子=老婆=太太 husband=丈夫=老公 grandmother=奶奶=外婆
  grandfather=爷爷=外公 uncle=叔叔=舅舅 aunt=阿姨=姑姑 cousin=表哥=表妹=堂哥 niece=侄女 nephew=侄子
env: production=prod=生产环境=生产=线上=正式环境 staging=stage=预发=预发布=预生产=预发环境
  development=dev=develop_environment=开发环境 test_environment=testing=test_env=qa=测试环境
  sandbox=沙箱=沙盒 local_environment=localhost=本地环境 canary=灰度 uat demo_environment=演示环境
position: front rear left_side=左=左边=左侧 right_side=右=右边=右侧 upper=上方 lower_part=下方
  inner=内侧 outer=外侧 north=北边=北部 south=南边=南部 east=东边=东部 west=西边=西部
  primary=主库=主节点 secondary=从库=备库=从节点 frontend=front-end=前端
  backend=back-end=后端=服务端
daypart: morning=早上=上午=早晨=清晨 afternoon=下午 night=evening=晚上=傍晚=夜里=夜间=夜晚=深夜
  midday=中午=正午
weekdaytype: weekdays=weekday=工作日 weekends=weekend=周末
"""
